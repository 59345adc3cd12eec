import Documents
import Storage

extension StoreChecker {
    /// Checks every document's row and its bodies.
    mutating func checkDocuments() throws {
        let total = try count("SELECT count(*) FROM documents")
        // The rows are read in steps, because recording a problem runs other statements while this one would be open.
        var after = DocumentKey(0)
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = true
            let rows = try connection.all(
                """
                SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree,
                    body IS NOT NULL, attachments
                FROM documents WHERE key > ?1 ORDER BY key LIMIT 100
                """, after
            ) { row in
                (DocumentKey(row.integer(0)), Result { try snapshot.record(row) }, row.bool(10), row.optionalBytes(11))
            }
            for (key, document, hasBody, attachments) in rows {
                isAtEnd = false
                after = key
                report.documents += 1
                try tick(.documents, report.documents, of: total)
                do {
                    try check(document.get(), key, hasBody: hasBody, attachments: attachments)
                } catch let error as StorageError where error.code == .corrupt {
                    record(.document, error.description)
                }
            }
        }
    }

    private mutating func check(_ document: DocumentRecord, _ key: DocumentKey, hasBody: Bool, attachments: [UInt8]?) throws {
        let name = "document \(key.value) '\(document.id)'"
        checkPlace(document, name)
        let tree = document.tree
        guard let winner = tree.winner else { return record(.document, "\(name) has an empty revision tree") }
        if winner.id != document.winner { record(.document, "\(name) has the winner \(document.winner), but its tree has \(winner.id)") }
        let expected = DocumentFlags(tree: tree, hasAttachments: attachments != nil)
        if document.flags.subtracting(.besidesTree) != expected {
            record(.document, "\(name) has the flags \(document.flags.rawValue), but its tree requires \(expected.rawValue)")
        }
        if !hasBody, attachments != nil { record(.body, "\(name) has attachments, but no body, for its winner") }
        var named = checkNames(attachments, name)
        named.formUnion(try checkBodies(of: document, key, name))
        if document.flags.contains(.usesAttachments) || !named.isEmpty { try checkUses(of: key, name, named) }
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
    private mutating func checkBodies(of document: DocumentRecord, _ key: DocumentKey, _ name: String) throws -> Set<AttachmentDigest> {
        let bodies = try connection.all("SELECT revision, is_leaf, attachments FROM bodies WHERE document = ?1", key) { row in
            (text: row.text(0), isLeaf: row.bool(1), attachments: row.optionalBytes(2))
        }
        var named: Set<AttachmentDigest> = []
        var kept: Set<RevisionID> = []
        for body in bodies {
            named.formUnion(checkNames(body.attachments, name))
            guard let revision = RevisionID(body.text) else {
                record(.body, "\(name) has a body of '\(body.text)', which is not a revision ID")
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
