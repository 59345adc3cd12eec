/// One of the few documents that everybody works on, so that they meet.
struct Subject: Sendable, CustomStringConvertible {
    /// Its ID in the unified keyspace.
    let legacyID: String

    /// Where the routes put it.
    let routed: Place

    /// The `type` that it is given.
    let type: String?

    /// By a prefix, by a property, and not at all.
    static let all = [
        Subject(legacyID: "a", routed: Place(keyspace: "_default._default", id: "a"), type: nil),
        Subject(legacyID: "b", routed: Place(keyspace: "_default._default", id: "b"), type: nil),
        Subject(legacyID: "order::1", routed: Place(keyspace: "shop.orders", id: "1"), type: nil),
        Subject(legacyID: "order::2", routed: Place(keyspace: "shop.orders", id: "2"), type: nil),
        Subject(legacyID: "note", routed: Place(keyspace: "shop.notes", id: "note"), type: "note"),
        Subject(legacyID: "memo", routed: Place(keyspace: "shop.notes", id: "memo"), type: "note"),
    ]

    /// The document that is meant, wherever it is.
    static func legacyID(of place: Place) -> String {
        // What was written in a collection, without routes, is in the unified keyspace under the name that it has there.
        all.first { $0.routed == place || place.keyspace.isEmpty && $0.routed.id == place.id }?.legacyID ?? place.id
    }

    /// Where the routes put a document of the unified keyspace.
    static func routed(of legacyID: String) -> Place? {
        all.first { $0.legacyID == legacyID }?.routed
    }

    static let collections = ["_default._default", "shop.notes", "shop.orders"]

    var description: String { legacyID }
}
