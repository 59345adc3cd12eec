import Access
public import Documents
public import Storage

/// One document in a snapshot of a keyspace, as far as its reader may see it.
public struct DocumentView {
    public let record: DocumentRecord

    /// Its ID in the keyspace through which it was reached.
    public let id: String
    let visibility: Visibility

    /// Whether the reader cannot see the document as it is: it is lost, or its winner was never in sight.
    public let isWithheld: Bool

    /// The revision in whose place the reader gets the word that the document can no longer be seen; `nil` if there is none to get.
    let removal: RevisionID?

    public var tree: RevisionTree { record.tree }
    public var winner: RevisionID { record.winner }
    public var isDeleted: Bool { record.flags.contains(.deleted) }

    /// Whether the reader gets the word that the document can no longer be seen in place of what has won.
    public var isTakenBack: Bool { isWithheld && removal == record.winner }

    /// A revision with its body and ancestors.
    ///
    /// - Returns: `nil` if the tree does not have it, its body is no longer kept, or the reader may not see it. Where a document can no longer
    ///   be seen, the revision with which it left is there with Sync Gateway's `{"_removed":true}` for a body, and older ones by their own channels.
    public func content(of revision: RevisionID) throws -> RevisionContent? {
        guard let node = tree.lookup(modern: revision) else { return nil }
        if node.id == removal { return content(of: node, Self.removed) }
        guard try node.id == record.winner && !isWithheld || visibility.sees(node.id, of: record) else {
            // That a branch has ended tells nothing of what was in it. Who has the branch would go on taking it for the winner. Of a document that
            // cannot be seen, that holds for the deletions that the reader was told of.
            guard try node.isDeleted && (!isWithheld || visibility.left(record, with: node.id)) else { return nil }
            return content(of: node, StoredBody(properties: DocumentBody.empty))
        }
        guard let body = try visibility.snapshot.body(of: node.id, in: record) else { return nil }
        return content(of: node, body, expiry: isWithheld ? nil : try expiry)
    }

    /// A revision as a client gets it that asks for what its feed has named: as ``content(of:)`` has it, or Sync Gateway's `{"_removed":true}` for a body
    ///
    /// - where the document left one of the reader's channels with it. The document may have come back by another channel, which the client need not have
    ///   asked for;
    /// - where the document was lost with one of the reader's channels: others may have followed the revision that the feed has named.
    public func announced(_ revision: RevisionID) throws -> RevisionContent? {
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

    /// The channels that the document is in, and was in, by name. For administrators.
    public func channelEntries() throws -> [ChannelEntry] {
        guard visibility.rights.isAdministrator, let key = record.key else { return [] }
        let entries = try visibility.snapshot.channels(of: key).sorted { $0.channel < $1.channel }
        let names = Set(entries.map(\.channel))
        // The collection's own channel has the name of another one; where the document is in both, one row tells it.
        return entries.filter { !CollectionChannel.isOne($0.channel) || !names.contains(CollectionChannel.shown($0.channel)) }
            .map { $0.called(CollectionChannel.shown($0.channel)) }
    }

    /// The channels of a revision of which that is kept; none for others. For administrators.
    public func channels(of revision: RevisionID) throws -> [String] {
        guard visibility.rights.isAdministrator else { return [] }
        return Set(try visibility.snapshot.channels(of: revision, in: record).map(CollectionChannel.shown)).sorted()
    }

    /// The channels that the document is in, as far as its reader has them, in order.
    ///
    /// - Parameter scope: where they are told. A collection's own channel has a name there alone: in the unified keyspace its name is another channel's.
    public func channels(in scope: FeedScope) throws -> [String] {
        guard let key = record.key, !isWithheld else { return [] }
        let access = visibility.rights.access(to: record.collection)
        let entries = try visibility.snapshot.channels(of: key).filter { $0.isCurrent && access.includes(anyOf: [$0.channel]) }
        let told = entries.filter { scope != .unified || !CollectionChannel.isOne($0.channel) }
        return Set(told.map { CollectionChannel.shown($0.channel) }).sorted()
    }

    /// What the document's sync function gave, and to whom. For administrators.
    public func grants() throws -> [Grant] {
        guard visibility.rights.isAdministrator, let key = record.key else { return [] }
        return try visibility.snapshot.grants(from: .document(key))
    }

    /// How far back bodies are looked for: farther than they are kept.
    private static var kept: Int { 20 }

    /// In how many branches, the winning one first.
    private static var branches: Int { 20 }

    /// The attachments of its revisions that are kept and may be seen.
    public func attachments() throws -> [AttachmentMetadata] {
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
public struct RevisionContent: Sendable {
    /// The document's ID in the keyspace.
    public let id: String
    public let revision: RevisionID
    public let isDeleted: Bool

    /// The revision and its ancestors, newest first.
    public let history: [RevisionID]
    public let body: StoredBody

    /// When the document expires.
    public let expiry: DocumentExpiry?

    /// The same without any property.
    public var withoutProperties: RevisionContent {
        RevisionContent(
            id: id, revision: revision, isDeleted: isDeleted, history: history, body: StoredBody(properties: DocumentBody.empty),
            expiry: expiry)
    }

    public init(
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
