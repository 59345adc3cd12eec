import Access
package import Documents
package import Storage

/// One document in a snapshot of a keyspace, limited to its reader's access.
package struct DocumentView {
    package let record: DocumentRecord

    /// The document's ID in the keyspace of the read.
    package let id: String
    let visibility: Visibility

    /// Whether the document's current state is invisible to the reader: access was lost, or its winner was never visible.
    package let isWithheld: Bool

    /// The revision for which the reader receives a removal; `nil` if there is none.
    let removal: RevisionID?

    package var tree: RevisionTree { record.tree }
    package var winner: RevisionID { record.winner }
    package var isDeleted: Bool { record.flags.contains(.deleted) }

    /// Whether the reader receives a removal instead of the winner.
    package var isTakenBack: Bool { isWithheld && removal == record.winner }

    /// A revision with its body and ancestors.
    ///
    /// For an invisible document, the revision with which it left has Sync Gateway's `{"_removed":true}` as its body. Older revisions are visible
    /// through their own channels.
    ///
    /// - Returns: `nil` if the tree does not contain the revision, its body is not stored any more, or the reader has no access to it.
    package func content(of revision: RevisionID) throws -> RevisionContent? {
        guard let node = tree.lookup(modern: revision) else { return nil }
        if node.id == removal { return content(of: node, Self.removed) }
        guard try node.id == record.winner && !isWithheld || visibility.sees(node.id, of: record) else {
            // The end of a branch reveals nothing of its contents, and a client with the branch would otherwise keep it as the winner. For an
            // invisible document, only deletions that were announced to the reader are returned.
            guard try node.isDeleted && (!isWithheld || visibility.left(record, with: node.id)) else { return nil }
            return content(of: node, StoredBody(properties: DocumentBody.empty))
        }
        guard let body = try visibility.snapshot.body(of: node.id, in: record) else { return nil }
        return content(of: node, body, expiry: isWithheld ? nil : try expiry)
    }

    /// The content of a revision that the reader's feed has named: that of ``content(of:)``, or Sync Gateway's `{"_removed":true}` in these cases:
    ///
    /// - The document left one of the reader's channels with this revision. It may be visible again through a channel that the client does not
    ///   request.
    /// - The reader lost one of the channels that showed the document. Newer revisions may have followed the one in the feed.
    package func announced(_ revision: RevisionID) throws -> RevisionContent? {
        if let content = try content(of: revision) { return content }
        guard let node = tree.lookup(modern: revision),
            try visibility.left(record, with: node.id) || isWithheld && visibility.sawBeforeLoss(record)
        else { return nil }
        return content(of: node, Self.removed)
    }

    private static let removed = StoredBody(properties: Array(#"{"_removed":true}"#.utf8))

    private var expiry: DocumentExpiry? {
        get throws {
            guard record.flags.contains(.expires), let key = record.key else { return nil }
            return try visibility.snapshot.expiry(of: key).map { DocumentExpiry(time: $0) }
        }
    }

    /// The document's current and former channels by name. For administrators.
    package func channelEntries() throws -> [ChannelEntry] {
        guard visibility.rights.isAdministrator, let key = record.key else { return [] }
        let entries = try visibility.snapshot.channels(of: key).sorted { $0.channel < $1.channel }
        let names = Set(entries.map(\.channel))
        // The collection's own channel is shown under the name of another channel; a document in both gets one row.
        return entries.filter { !CollectionChannel.isOne($0.channel) || !names.contains(CollectionChannel.shown($0.channel)) }
            .map { $0.called(CollectionChannel.shown($0.channel)) }
    }

    /// The channels of a revision whose channels are stored; empty for others. For administrators.
    package func channels(of revision: RevisionID) throws -> [String] {
        guard visibility.rights.isAdministrator else { return [] }
        return Set(try visibility.snapshot.channels(of: revision, in: record).map(CollectionChannel.shown)).sorted()
    }

    /// The document's channels to which the reader has access, sorted.
    ///
    /// - Parameter scope: where they are shown. A collection's own channel has its name within the collection only: in the unified keyspace,
    ///   another channel has that name.
    package func channels(in scope: FeedScope) throws -> [String] {
        guard let key = record.key, !isWithheld else { return [] }
        let access = visibility.rights.access(to: record.collection)
        let entries = try visibility.snapshot.channels(of: key).filter { $0.isCurrent && access.includes(anyOf: [$0.channel]) }
        let told = entries.filter { scope != .unified || !CollectionChannel.isOne($0.channel) }
        return Set(told.map { CollectionChannel.shown($0.channel) }).sorted()
    }

    /// The grants that the document's sync function has made. For administrators.
    package func grants() throws -> [Grant] {
        guard visibility.rights.isAdministrator, let key = record.key else { return [] }
        return try visibility.snapshot.grants(from: .document(key))
    }

    /// The number of ancestors whose bodies are looked up; more than are stored.
    private static var kept: Int { 20 }

    /// The maximum number of branches, the winner's first.
    private static var branches: Int { 20 }

    /// The attachments of the document's stored revisions, as far as the reader has access.
    package func attachments() throws -> [AttachmentMetadata] {
        let revisions = Set(tree.leaves.prefix(Self.branches).flatMap { tree.history(of: $0.id, limit: Self.kept) })
        return try revisions.compactMap { try content(of: $0)?.body.attachments }.flatMap { try AttachmentSet($0).entries }
    }

    private func content(of node: RevisionTree.Node, _ body: StoredBody, expiry: DocumentExpiry? = nil) -> RevisionContent {
        RevisionContent(
            id: id, revision: node.id, isDeleted: node.isDeleted, history: tree.history(of: node.id, limit: nil, stoppingAt: []),
            body: body,
            expiry: expiry)
    }
}

/// One revision of a document, as a client reads it.
package struct RevisionContent: Sendable {
    /// The document's ID in the keyspace.
    package let id: String
    package let revision: RevisionID
    package let isDeleted: Bool

    /// The revision and its ancestors, newest first.
    package let history: [RevisionID]
    package let body: StoredBody

    /// When the document expires.
    package let expiry: DocumentExpiry?

    /// The revision without any property.
    package var withoutProperties: RevisionContent {
        RevisionContent(
            id: id, revision: revision, isDeleted: isDeleted, history: history, body: StoredBody(properties: DocumentBody.empty),
            expiry: expiry)
    }

    package init(
        id: String, revision: RevisionID, isDeleted: Bool, history: [RevisionID], body: StoredBody, expiry: DocumentExpiry? = nil
    ) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.history = history
        self.body = body
        self.expiry = expiry
    }
}
