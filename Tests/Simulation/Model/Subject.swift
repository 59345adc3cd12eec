/// One of the few documents that all clients edit, so that edits meet.
struct Subject: Sendable, CustomStringConvertible {
    /// Its ID in the unified keyspace.
    let legacyID: String

    /// The collection of its route.
    let routed: Place

    /// The value of its `type`.
    let type: String?

    /// By a prefix, by a property, and by no route.
    static let all = [
        Subject(legacyID: "a", routed: Place(keyspace: "_default._default", id: "a"), type: nil),
        Subject(legacyID: "b", routed: Place(keyspace: "_default._default", id: "b"), type: nil),
        Subject(legacyID: "order::1", routed: Place(keyspace: "shop.orders", id: "1"), type: nil),
        Subject(legacyID: "order::2", routed: Place(keyspace: "shop.orders", id: "2"), type: nil),
        Subject(legacyID: "note", routed: Place(keyspace: "shop.notes", id: "note"), type: "note"),
        Subject(legacyID: "memo", routed: Place(keyspace: "shop.notes", id: "memo"), type: "note"),
    ]

    /// The subject of a document, in any collection.
    static func legacyID(of place: Place) -> String {
        // A document that was written in a collection, without routes, has the same name in the unified keyspace.
        all.first { $0.routed == place || place.keyspace.isEmpty && $0.routed.id == place.id }?.legacyID ?? place.id
    }

    /// The collection of the routes for a document of the unified keyspace.
    static func routed(of legacyID: String) -> Place? {
        all.first { $0.legacyID == legacyID }?.routed
    }

    static let collections = ["_default._default", "shop.notes", "shop.orders"]

    var description: String { legacyID }
}
