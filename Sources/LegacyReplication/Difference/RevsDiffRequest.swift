import Documents

/// The body of `_revs_diff`: `{"a":["3-c","3-d"],"b":["1-x"]}`.
struct RevsDiffRequest: Equatable {
    struct Entry: Equatable {
        let id: String
        var revisions: [RevisionID] = []

        /// What cannot be a revision's ID: it is certainly not here, and the client learns why when it sends it.
        var impossible: [String] = []
    }

    private(set) var entries: [Entry] = []

    init(_ body: [UInt8], limits: LegacyLimits = LegacyLimits()) throws {
        var entries: [Entry] = []
        try JSONReader.read(body, maximumDepth: 4) { reader in
            try reader.object { key, value in
                guard entries.count < limits.documents else {
                    throw LegacyError(.tooLarge, "More than \(limits.documents) documents: ask for fewer at once")
                }
                entries.append(try Self.entry(try key.string(), &value, limits))
            }
        }
        self.entries = entries
    }

    /// Leaves out design documents, for those who may not write them: a PouchDB would push each of its own, and report it as denied.
    mutating func leaveOutDesign() {
        entries.removeAll { DocumentID.isDesign($0.id) }
    }

    private static func entry(_ id: String, _ reader: inout JSONReader, _ limits: LegacyLimits) throws -> Entry {
        var entry = Entry(id: id)
        guard !reader.isNull else {
            try reader.null()
            return entry
        }
        try reader.array { element in
            guard entry.revisions.count + entry.impossible.count < limits.revisions else {
                throw LegacyError(.tooLarge, "More than \(limits.revisions) revisions of \(id): ask for fewer at once")
            }
            let text = try element.string()
            if let revision = RevisionID(text) {
                entry.revisions.append(revision)
            } else {
                entry.impossible.append(text)
            }
        }
        return entry
    }
}
