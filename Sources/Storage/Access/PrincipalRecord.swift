/// A user or a role as the store knows it.
public struct PrincipalRecord: Hashable, Sendable {
    public let grantee: Grantee
    public var email: String?

    /// With which change it was last written.
    public var sequence: SequenceNumber

    /// What the store does not look into: a JSON object.
    public var record: [UInt8]

    public init(grantee: Grantee, email: String? = nil, sequence: SequenceNumber, record: [UInt8]) {
        self.grantee = grantee
        self.email = email
        self.sequence = sequence
        self.record = record
    }
}

/// A user or a role by its name, whether it is there yet or not.
public struct Grantee: Hashable, Sendable {
    public let kind: PrincipalKind
    public let name: String

    public init(_ kind: PrincipalKind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    public static func user(_ name: String) -> Grantee { Grantee(.user, name) }

    public static func role(_ name: String) -> Grantee { Grantee(.role, name) }
}

extension Grantee: CustomStringConvertible {
    public var description: String { "\(kind) \"\(name)\"" }
}

/// The two kinds of grantee.
public enum PrincipalKind: Int64, Hashable, Sendable {
    case user = 0
    case role = 1
}

/// A login that lasts. Times are milliseconds since 1970.
public struct SessionRecord: Hashable, Sendable {
    /// The hash of the session's ID: the ID itself is not kept.
    public let key: [UInt8]

    public let user: String

    /// The user's generation of sessions when it began.
    public let generation: Int64

    public let created: Int64
    public var expires: Int64

    /// How long it lasts from its last renewal on, in milliseconds; 0 for one that is never renewed.
    public let timeToLive: Int64

    public init(key: [UInt8], user: String, generation: Int64, created: Int64, expires: Int64, timeToLive: Int64) {
        self.key = key
        self.user = user
        self.generation = generation
        self.created = created
        self.expires = expires
        self.timeToLive = timeToLive
    }
}
