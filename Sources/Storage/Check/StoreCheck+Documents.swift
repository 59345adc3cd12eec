import Documents

/// A body of a losing revision, as an engine stores it.
package struct CheckedBody {
    package let revision: String
    package let isLeaf: Bool
    package let attachments: [UInt8]?

    package init(revision: String, isLeaf: Bool, attachments: [UInt8]?) {
        self.revision = revision
        self.isLeaf = isLeaf
        self.attachments = attachments
    }
}

/// The row of a document, with its losing bodies.
package struct CheckedDocument {
    package let key: DocumentKey

    /// The document, or the error of reading its row.
    package let record: Result<DocumentRecord, any Error>
    package let hasBody: Bool
    package let attachments: [UInt8]?

    package init(key: DocumentKey, record: Result<DocumentRecord, any Error>, hasBody: Bool, attachments: [UInt8]?) {
        self.key = key
        self.record = record
        self.hasBody = hasBody
        self.attachments = attachments
    }
}

extension StoreCheck {
    /// Checks a document's row and its bodies.
    ///
    /// - Parameter bodies: Reads the bodies of the losing revisions.
    package mutating func check(_ document: CheckedDocument, _ snapshot: any StoreSnapshot, bodies: () throws -> [CheckedBody]) throws {
        report.documents += 1
        do {
            try check(document.record.get(), document, snapshot, bodies: bodies)
        } catch let error as StorageError where error.code == .corrupt {
            record(.document, error.description)
        }
    }

    private mutating func check(
        _ document: DocumentRecord, _ row: CheckedDocument, _ snapshot: any StoreSnapshot, bodies: () throws -> [CheckedBody]
    ) throws {
        let name = "document \(row.key.value) '\(document.id)'"
        checkPlace(document, name)
        let tree = document.tree
        guard let winner = tree.winner else { return record(.document, "\(name) has an empty revision tree") }
        if winner.id != document.winner { record(.document, "\(name) has the winner \(document.winner), but its tree has \(winner.id)") }
        let expected = DocumentFlags(tree: tree, hasAttachments: row.attachments != nil)
        if document.flags.subtracting(.besidesTree) != expected {
            record(.document, "\(name) has the flags \(document.flags.rawValue), but its tree requires \(expected.rawValue)")
        }
        if !row.hasBody, row.attachments != nil { record(.body, "\(name) has attachments, but no body, for its winner") }
        var named = checkNames(row.attachments, name)
        named.formUnion(check(try bodies(), of: document, name))
        if document.flags.contains(.usesAttachments) || !named.isEmpty { try checkUses(of: row.key, name, named, snapshot) }
    }

    private mutating func checkPlace(_ document: DocumentRecord, _ name: String) {
        if document.unifiedID == nil, document.localID == nil { record(.document, "\(name) has no ID") }
        if (document.unifiedID == nil) != (document.sequence == nil) {
            record(.document, "\(name) has only one of a legacy ID and a place in the unified feed")
        }
        if let collection = collections[document.collection] {
            // While a visibility change is in progress, some documents still have the old state.
            if collection.pending == nil, collection.isHidden != (document.unifiedID == nil) {
                let (place, what) = collection.isHidden ? ("a hidden", "a") : ("a visible", "no")
                record(.document, "\(name) is in \(place) collection, but has \(what) legacy ID")
            }
        } else {
            record(.document, "\(name) is in the collection \(document.collection.value), which does not exist")
        }
        if max(document.collectionSequence, document.sequence ?? .zero) > lastSequence {
            record(.document, "\(name) has a sequence beyond the counter, \(lastSequence)")
        }
        if document.flags.contains(.misplaced) { report.misplaced += 1 }
        if document.flags.contains(.qualified) { report.qualified += 1 }
        let scopes: [FeedScope] = [.collection(document.collection)] + (document.sequence == nil ? [] : [.unified])
        for scope in scopes {
            counted[scope, default: DocumentCounts()].add(document.flags, 1)
        }
    }

    /// Checks the bodies of losing revisions: each belongs to a revision of the tree, and every losing leaf has one.
    private mutating func check(_ bodies: [CheckedBody], of document: DocumentRecord, _ name: String) -> Set<AttachmentDigest> {
        var named: Set<AttachmentDigest> = []
        var kept: Set<RevisionID> = []
        for body in bodies {
            named.formUnion(checkNames(body.attachments, name))
            guard let revision = RevisionID(body.revision) else {
                record(.body, "\(name) has a body of '\(body.revision)', which is not a revision ID")
                continue
            }
            kept.insert(revision)
            let isLeaf = document.tree.node(revision)?.isLeaf
            if body.isLeaf, isLeaf != true {
                record(.body, "\(name) stores the body of \(revision) as that of a leaf, but it is not a leaf")
            }
            if !body.isLeaf, isLeaf == true { record(.body, "\(name) stores the body of the leaf \(revision) as that of an ancestor") }
            if revision == document.winner { record(.body, "\(name) has two bodies of its winner \(revision)") }
        }
        guard document.tree.leafCount > 1 || !kept.isEmpty else { return named }
        for leaf in document.tree.leaves where leaf.id != document.winner && !kept.contains(leaf.id) {
            record(.body, "\(name) has no body of its leaf \(leaf.id)")
        }
        return named
    }
}
