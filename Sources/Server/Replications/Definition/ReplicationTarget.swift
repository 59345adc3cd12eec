public import Gateway

/// The other side of a replication.
public enum ReplicationTarget: Sendable {
    case server(RemoteAddress)
    /// A database in this process.
    case database(Database)

    /// Where it is; `nil` for a database in this process.
    var server: RemoteAddress? {
        if case .server(let address) = self { address } else { nil }
    }

    /// Whether 1.x is spoken.
    var isLegacy: Bool { server?.isLegacy == true }
}

extension ReplicationTarget: Hashable {
    public static func == (a: ReplicationTarget, b: ReplicationTarget) -> Bool {
        switch (a, b) {
        case (.server(let a), .server(let b)): a == b
        case (.database(let a), .database(let b)): a === b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .server(let address): hasher.combine(address)
        case .database(let database): hasher.combine(ObjectIdentifier(database))
        }
    }
}

extension ReplicationTarget: CustomStringConvertible {
    /// Has no secret in it.
    public var description: String {
        switch self {
        case .server(let address): address.description
        case .database(let database): database.name
        }
    }
}
