import Documents
import Gateway
import SQLiteStorage
import Storage

/// A row of a document table.
struct ModernRow {
    let key: Int64
    let id: [UInt8]
    let sequence: Int64
    let version: [UInt8]

    /// Total bytes of the body and the tree.
    let length: Int

    /// 2.x: the revision tree with all bodies. Since 3.0: the current revision's body.
    let body: [UInt8]

    /// Since 3.0: the revision tree with the bodies of other revisions than the current one.
    let extra: [UInt8]?

    /// Milliseconds since 1970.
    let expiration: Int64?

    /// - Parameter row: A row with the columns of ``ModernTable/columns(limit:)``.
    init(_ row: Row) {
        key = row.integer(0)
        id = row.bytes(1)
        sequence = row.integer(2)
        version = row.bytes(4)
        length = Int(row.integer(5))
        body = row.bytes(6)
        extra = row.optionalBytes(7)
        expiration = row.optionalInteger(8)
    }

    /// The document and its faults.
    func items(_ collection: CollectionName, keys: SharedKeys, limits: SourceBatchLimits) -> [SourceItem] {
        do {
            var assembler = try DocumentAssembler(id: id, collection: collection)
            if length > limits.bodyBytes * 2 {
                assembler.refuse(
                    nil, "its body has \(length) bytes, and \(limits.bodyBytes) are allowed", bytes: body, length: length)
            } else if version.first == 0 {
                assembler.refuse(
                    nil, "it has a version vector of Couchbase Lite 4, which is not a revision; replicate it over WebSocket", bytes: body)
            } else {
                add(to: &assembler, keys: keys, limits: limits)
            }
            return assembler.items(sequence: "\(sequence)", expiry: expiration.map { $0 / 1000 })
        } catch {
            var fault = error
            (fault.bytes, fault.length) = (body, length)
            return [.fault(fault)]
        }
    }

    private func add(to assembler: inout DocumentAssembler, keys: SharedKeys, limits: SourceBatchLimits) {
        var tree: RawRevisionTree
        do {
            tree = try RawRevisionTree((extra ?? body)[...])
        } catch {
            assembler.refuse(nil, "\(error)", bytes: body)
            return
        }
        if extra != nil, !body.isEmpty { tree.setCurrentBody(body[...]) }
        for (index, revision) in tree.revisions.enumerated() {
            let history = tree.history(of: index)
            guard let fleece = revision.body, !fleece.isEmpty else {
                if revision.isLeaf, revision.isDeleted || revision.body != nil {
                    assembler.add(SourceRevision(history: history, isDeleted: revision.isDeleted, body: DocumentBody.empty))
                } else if revision.isLeaf {
                    assembler.refuse(revision.id.text, "the database does not have this revision's body")
                }
                continue
            }
            do {
                let json = try FleeceJSON.decode(fleece, keys: keys, limits: FleeceLimits(maximumSize: limits.bodyBytes))
                try json.add(to: &assembler, history: history, revision)
            } catch {
                assembler.refuse(revision.id.text, (error as? DocumentError)?.message ?? "\(error)", bytes: Array(fleece))
            }
        }
    }
}
