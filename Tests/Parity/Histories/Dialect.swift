/// The version of Sync Gateway that a history is for, with its features and configuration.
enum Dialect: String, CaseIterable {
    case gateway28 = "2.8"
    case gateway32 = "3.2"
    case collections32 = "3.2-collections"

    /// The keyspaces, as they appear in paths behind the database's name.
    var keyspaces: [String] {
        switch self {
        case .gateway28, .gateway32: [""]
        case .collections32: ["sales.orders", "sales.customers"]
        }
    }

    var hasCollections: Bool { self == .collections32 }

    /// Whether the server reports lost access to clients.
    var supportsRevocations: Bool { self != .gateway28 }

    /// The WebSocket subprotocols that a client of that version offers.
    var subprotocols: [String] {
        switch self {
        case .gateway28: ["BLIP_3+CBMobile_2"]
        case .gateway32, .collections32: ["BLIP_3+CBMobile_3"]
        }
    }
}
