/// Which Sync Gateway a history is for: what it knows, and what its configuration says.
enum Dialect: String, CaseIterable {
    case gateway28 = "2.8"
    case gateway32 = "3.2"
    case collections32 = "3.2-collections"

    /// The keyspaces, as they stand in paths behind the database's name.
    var keyspaces: [String] {
        switch self {
        case .gateway28, .gateway32: [""]
        case .collections32: ["sales.orders", "sales.customers"]
        }
    }

    var hasCollections: Bool { self == .collections32 }

    /// Whether the server tells clients what access they have lost.
    var knowsRevocations: Bool { self != .gateway28 }

    /// The WebSocket's subprotocols that a client of that time offers.
    var subprotocols: [String] {
        switch self {
        case .gateway28: ["BLIP_3+CBMobile_2"]
        case .gateway32, .collections32: ["BLIP_3+CBMobile_3"]
        }
    }
}
