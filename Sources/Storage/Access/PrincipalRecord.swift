/// A stored user or role.
public struct PrincipalRecord: Hashable, Sendable {
    public let grantee: Grantee
    public var email: String?

    /// The sequence of its last change.
    public var sequence: SequenceNumber

    /// The account's other properties: a JSON object that the store does not parse.
    public var record: [UInt8]

    public init(grantee: Grantee, email: String? = nil, sequence: SequenceNumber, record: [UInt8]) {
        self.grantee = grantee
        self.email = email
        self.sequence = sequence
        self.record = record
    }
}

/// The name of a user or role, which need not exist yet.
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

/// A login session. Times are milliseconds since 1970.
public struct SessionRecord: Hashable, Sendable {
    /// The hash of the session's ID. The ID itself is not stored.
    public let key: [UInt8]

    public let user: String

    /// The user's session generation at the creation of this session.
    public let generation: Int64

    public let created: Int64
    public var expires: Int64

    /// Lifetime from the last renewal, in milliseconds; 0 for a session that is never renewed.
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
