/// Versions separated by commas, of which IDs of revision trees may be the last.
struct VersionList {
    private(set) var versions: [Version] = []
    private(set) var revisions: [RevisionID] = []

    /// The longest text that is looked at.
    static let maximumLength = 64 << 10

    init(_ text: Substring) throws(DocumentError) {
        let text = text.utf8
        guard !Self.trimmed(text).isEmpty else { return }
        var lacksVersions = false
        for (index, field) in text.split(separator: 0x2c, omittingEmptySubsequences: false).enumerated() {
            let field = Self.trimmed(field)
            // Sync Gateway 4 puts IDs of a tree behind versions that are not there: `;,3-abc`.
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
                throw Self.bad(String(Substring(field)), "it is no version")
            }
        }
    }

    /// What stands before and after the semicolon.
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
