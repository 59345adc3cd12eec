public import Documents

/// A document's leaves, as a source lists them without reading the document.
public struct DocumentOutline: Sendable, Hashable {
    public let id: String
    public let leaves: [RevisionID]

    /// Whether what has won is a tombstone.
    public let isDeleted: Bool

    /// Its place in the source's changes feed.
    public let sequence: String

    public init(id: String, leaves: [RevisionID], isDeleted: Bool, sequence: String) {
        self.id = id
        self.leaves = leaves
        self.isDeleted = isDeleted
        self.sequence = sequence
    }
}

/// A source that tells which revisions its documents have without reading them: a live server by its changes feed.
public protocol OutlinedSource: MigrationSource {
    /// The next documents, in the order of ``MigrationSource/batch(after:limits:)`` and with its cursors.
    ///
    /// - Returns: nothing when there are no more. The last one's sequence is the cursor to go on from.
    /// - Throws: ``SourceError``.
    func outlines(after cursor: SourceCursor?, limit: Int) async throws -> [DocumentOutline]

    /// The documents as they are now, and what is wrong with those that cannot be read.
    ///
    /// - Throws: ``SourceError``.
    func documents(_ outlines: [DocumentOutline]) async throws -> [SourceItem]
}
