import Documents
import Peers

/// Compares the documents of two clients of different generations: revision, body and attachments of each document.
struct DemoComparison {
    struct Row {
        let collection: String
        var documents = 0
        var tombstones = 0
        var attachments = 0
        var equal = 0
        var different: [String] = []
    }

    private(set) var rows: [Row] = []

    /// Documents that only the 1.x client has.
    private let unseen: [String]

    init(legacy: [ExactString: PeerDocument], modern: [String: [ExactString: PeerDocument]], collections: [String]) {
        var seen: Set<ExactString> = []
        for collection in collections {
            var row = Row(collection: collection)
            for (id, document) in modern[collection] ?? [:] {
                let legacyID = collection == "sales.customers" ? ExactString("customer::\(id)") : id
                seen.insert(legacyID)
                row.documents += 1
                if document.isDeleted { row.tombstones += 1 }
                row.attachments += document.attachments.count
                if Self.isSame(legacy[legacyID], document) { row.equal += 1 } else { row.different.append(legacyID.string) }
            }
            rows.append(row)
        }
        unseen = legacy.keys.filter { !seen.contains($0) }.map(\.string).sorted()
    }

    var isConverged: Bool { unseen.isEmpty && rows.allSatisfy { $0.different.isEmpty } && rows.contains { $0.documents > 0 } }

    var rendered: String {
        var table = TextTable(["collection", "documents", "tombstones", "attachments", "same for 1.x and 2.x+", ""])
        for row in rows {
            table.add(
                [
                    row.collection, "\(row.documents)", "\(row.tombstones)", "\(row.attachments)", "\(row.equal)",
                    row.different.isEmpty ? "converged" : "differ: \(row.different.sorted().prefix(3).joined(separator: ", "))",
                ])
        }
        let result =
            isConverged
            ? "All clients have the same revisions, content and attachments."
            : "NOT converged. Only the 1.x client has: \(unseen.prefix(5).joined(separator: ", "))"
        return "\(table.rendered)\n\(result)"
    }

    private static func isSame(_ a: PeerDocument?, _ b: PeerDocument) -> Bool {
        guard let a, a.revision == b.revision, a.isDeleted == b.isDeleted, a.attachments == b.attachments else { return false }
        // The body of a tombstone has no meaning, and 2.x+ clients need not store it.
        return a.isDeleted || a.body == b.body
    }
}
