extension VersionVector {
    /// Reads `cv`, `cv; pv, pv` or `cv, mv, mv; pv`, with or without spaces.
    ///
    /// - Throws: ``DocumentError`` `badVersion`.
    public init(_ text: String) throws(DocumentError) {
        let parts = try VersionList.halves(text)
        let first = try VersionList(parts.first)
        let second = try VersionList(parts.second ?? "")
        guard first.revisions.isEmpty, second.revisions.isEmpty, let current = first.versions.first else {
            throw VersionList.bad(text, "a version comes first, and only versions follow")
        }
        try self.init(current, merged: Array(first.versions.dropFirst()), previous: second.versions, in: text)
    }

    init(_ current: Version, merged: [Version], previous: [Version], in text: String) throws(DocumentError) {
        guard merged.count + previous.count < Self.maximumCount else { throw VersionList.bad(text, "it has too many versions") }
        let ancestors = merged + previous
        guard Set(ancestors.map(\.source)).count == ancestors.count else { throw VersionList.bad(text, "a source stands in it twice") }
        guard ancestors.allSatisfy({ $0.source != current.source || $0.time < current.time }) else {
            throw VersionList.bad(text, "a version of the same source that is not older follows the first")
        }
        self.init(current: current, merged: merged, previous: previous)
    }

    /// The property `history` of a message: everything but the current version.
    ///
    /// - Parameter revisions: IDs of revision trees, which come last.
    /// - Returns: `nil` if there is nothing to say.
    public func history(endingIn revisions: [RevisionID] = []) -> String? {
        guard !merged.isEmpty || !previous.isEmpty || !revisions.isEmpty else { return nil }
        var text: [UInt8] = []
        Self.append(merged, to: &text)
        if !merged.isEmpty { text.append(0x3b) }
        Self.append(previous, to: &text)
        for (index, revision) in revisions.enumerated() {
            if index > 0 || !previous.isEmpty { text.append(0x2c) }
            revision.append(to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ versions: [Version], to text: inout [UInt8]) {
        for (index, version) in versions.enumerated() {
            if index > 0 { text.append(0x2c) }
            version.append(to: &text)
        }
    }
}

extension VersionVector: CustomStringConvertible {
    /// The whole vector: `cv`, `cv;pv,pv` or `cv,mv,mv;pv`.
    public var description: String {
        var text: [UInt8] = []
        Self.append([current] + merged, to: &text)
        if !merged.isEmpty || !previous.isEmpty { text.append(0x3b) }
        Self.append(previous, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
