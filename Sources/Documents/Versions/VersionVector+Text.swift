extension VersionVector {
    /// Parses `cv`, `cv; pv, pv` or `cv, mv, mv; pv`, with or without spaces.
    ///
    /// - Throws: ``DocumentError`` `badVersion`.
    package init(_ text: String) throws(DocumentError) {
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
        guard Set(ancestors.map(\.source)).count == ancestors.count else { throw VersionList.bad(text, "it has a source twice") }
        guard ancestors.allSatisfy({ $0.source != current.source || $0.time < current.time }) else {
            throw VersionList.bad(text, "it has another version of the first version's source that is not older")
        }
        self.init(current: current, merged: merged, previous: previous)
    }

    /// The property `history` of a message: all versions except the current one.
    ///
    /// - Parameter revisions: Revision tree IDs to append.
    /// - Returns: `nil` if the history is empty.
    package func history(endingIn revisions: [RevisionID] = []) -> String? {
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
    package var description: String {
        var text: [UInt8] = []
        Self.append([current] + merged, to: &text)
        if !merged.isEmpty || !previous.isEmpty { text.append(0x3b) }
        Self.append(previous, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Comma-separated versions, optionally followed by revision tree IDs.
struct VersionList {
    private(set) var versions: [Version] = []
    private(set) var revisions: [RevisionID] = []

    /// The maximum length of a parsed text, in bytes.
    static let maximumLength = 64 << 10

    init(_ text: Substring) throws(DocumentError) {
        let text = text.utf8
        guard !Self.trimmed(text).isEmpty else { return }
        var lacksVersions = false
        for (index, field) in text.split(separator: 0x2c, omittingEmptySubsequences: false).enumerated() {
            let field = Self.trimmed(field)
            // Sync Gateway 4 writes an empty version before revision tree IDs if there are no versions: `;,3-abc`.
            if index == 0, field.isEmpty {
                lacksVersions = true
                continue
            }
            guard versions.count < VersionVector.maximumCount, revisions.count < RevisionTree.maximumHistoryCount else {
                throw Self.bad(String(Substring(text)), "it has too many versions")
            }
            if revisions.isEmpty, !lacksVersions, let version = Version(utf8: field) {
                versions.append(version)
            } else if let revision = RevisionID(utf8: field) {
                revisions.append(revision)
            } else {
                throw Self.bad(String(Substring(field)), "it is not a version")
            }
        }
    }

    /// The texts before and after the semicolon.
    static func halves(_ text: String) throws(DocumentError) -> (first: Substring, second: Substring?) {
        guard text.utf8.count <= maximumLength else { throw bad(text, "it is longer than \(maximumLength) bytes") }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw bad(text, "it has more than one semicolon") }
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }

    private static func trimmed(_ field: Substring.UTF8View) -> Substring.UTF8View {
        var field = field
        while field.first == 0x20 { field.removeFirst() }
        while field.last == 0x20 { field.removeLast() }
        return field
    }

    static func bad(_ text: String, _ reason: String) -> DocumentError {
        DocumentError(.badVersion, "Invalid version \"\(text.prefix(100))\": \(reason)")
    }
}
