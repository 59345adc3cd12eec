import Documents
import Peers

/// The edits of the demonstration's clients after the migration.
enum DemoEdits {
    /// New documents in the flat keyspace. The routes map them to collections.
    static var byLegacyClient: [PeerRevision] {
        [
            revision("order-from-old-app", ["1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"], #"{"type":"order","from":"1.x","total":12.50}"#),
            revision("customer::from-old-app", ["1-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"], #"{"name":"Zoë Brunel","from":"1.x"}"#),
            revision(
                "note-from-old-app", ["1-cccccccccccccccccccccccccccccccc"], #"{"text":"stays where it is","big":12345678901234567890}"#),
        ]
    }

    /// New documents in named collections. Legacy clients see them under legacy IDs.
    static var byModernClient: [String: [PeerRevision]] {
        [
            "sales.orders": [revision("order-from-new-app", ["1-\(digest("d"))"], #"{"type":"order","from":"2.x","total":1e2}"#)],
            "sales.customers": [revision("from-new-app", ["1-\(digest("e"))"], #"{"name":"Ada Eßer","from":"2.x"}"#)],
            "catalog.products": [
                PeerRevision(
                    id: "P-new", history: [RevisionID("1-\(digest("f"))")].compactMap { $0 }, body: Array(#"{"price":3.50}"#.utf8),
                    attachments: [.init(name: "blob_/photo", contentType: "image/png", bytes: Array(repeating: 7, count: 5000))])
            ],
        ]
    }

    private static func revision(_ id: String, _ history: [String], _ body: String) -> PeerRevision {
        PeerRevision(id: id, history: history.compactMap { RevisionID($0) }, body: Array(body.utf8))
    }

    /// 40 hex digits, the form of revision digests of Couchbase Lite 2.x+.
    private static func digest(_ letter: Character) -> String {
        String(repeating: letter, count: 40)
    }
}
