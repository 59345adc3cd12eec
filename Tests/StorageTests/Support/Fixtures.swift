import Documents
import Storage
import Testing

/// The revision ID of this text.
func revision(_ text: String) throws -> RevisionID {
    try #require(RevisionID(text))
}

/// A tree of these branches, each the newest revision first; a `!` in front marks a tombstone.
func tree(_ branches: [String]...) throws -> RevisionTree {
    var tree = RevisionTree()
    for branch in branches {
        let isDeleted = branch.first?.hasPrefix("!") == true
        try tree.merge(try branch.map { try revision($0.hasPrefix("!") ? String($0.dropFirst()) : $0) }, isDeleted: isDeleted)
    }
    return tree
}

func content(_ text: String, attachments: String? = nil) -> StoredBody {
    StoredBody(properties: Array(text.utf8), attachments: attachments.map { Array($0.utf8) })
}

extension DocumentRecord {
    /// A document with this tree that has not been stored.
    static func new(
        _ id: String?, _ tree: RevisionTree, in collection: CollectionKey = .default, localID: String? = nil, sequence: SequenceNumber,
        isVisible: Bool = true, hasAttachments: Bool = false
    ) throws -> DocumentRecord {
        DocumentRecord(
            collection: collection, unifiedID: id, localID: localID, sequence: isVisible ? sequence : nil, collectionSequence: sequence,
            winner: try #require(tree.winner).id, flags: DocumentFlags(tree: tree, hasAttachments: hasAttachments), modified: 1, tree: tree)
    }
}

extension StoreTransaction {
    /// Adds a document of one revision.
    @discardableResult
    func add(
        _ id: String?, _ revision: String = "1-aa", in collection: CollectionKey = .default, localID: String? = nil, isVisible: Bool = true
    ) throws -> DocumentKey {
        let sequence = try nextSequence()
        let document = try DocumentRecord.new(
            id, tree([revision]), in: collection, localID: localID, sequence: sequence, isVisible: isVisible)
        return try insert(document, winnerBody: content("{\"id\":1}"))
    }

    /// Adds a revision to a document, as a gateway does.
    func edit(_ id: String, _ history: [String], isDeleted: Bool = false) throws {
        var document = try #require(try document(unifiedID: id))
        let previous = document.winner
        let new = try revision(history[0])
        try document.tree.merge(try history.map { try revision($0) }, isDeleted: isDeleted)
        let winner = try #require(document.tree.winner).id
        document.winner = winner
        document.flags = DocumentFlags(tree: document.tree, hasAttachments: false)
        let sequence = try nextSequence()
        document.sequence = sequence
        document.collectionSequence = sequence
        let content = content("{\"rev\":\"\(history[0])\"}")
        if winner == previous {
            try update(document)
            try setBody(content, of: new, in: document, isLeaf: true)
        } else {
            try changeWinner(
                of: document, body: winner == new ? content : nil, previous: previous,
                previousIsLeaf: document.tree.node(previous)?.isLeaf == true)
            if winner != new { try setBody(content, of: new, in: document, isLeaf: true) }
        }
    }
}

extension StoreSnapshot {
    func feedIDs(_ scope: FeedScope, after: SequenceNumber = .zero, limit: Int = 1000, descending: Bool = false) throws -> [String] {
        var ids: [String] = []
        try feed(scope, FeedStretch(after: after, limit: limit, isDescending: descending)) { row in
            ids.append(row.id)
            return true
        }
        return ids
    }

    func listIDs(_ scope: FeedScope, _ range: ListRange = ListRange(), limit: Int = 1000) throws -> [String] {
        var ids: [String] = []
        try list(scope, range: range, limit: limit) { row in
            ids.append(row.id)
            return true
        }
        return ids
    }
}

/// Expects that `body` throws a storage error of this code.
func expectError(
    _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StorageError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
