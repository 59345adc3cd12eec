/// A stored user or role.
package struct PrincipalRecord: Hashable, Sendable {
    package let grantee: Grantee
    package var email: String?

    /// The sequence of its last change.
    package var sequence: SequenceNumber

    /// The account's other properties: a JSON object that the store does not parse.
    package var record: [UInt8]

    package init(grantee: Grantee, email: String? = nil, sequence: SequenceNumber, record: [UInt8]) {
        self.grantee = grantee
        self.email = email
        self.sequence = sequence
        self.record = record
    }
}

/// The name of a user or role, which need not exist yet.
package struct Grantee: Hashable, Sendable {
    package let kind: PrincipalKind
    package let name: String

    package init(_ kind: PrincipalKind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    package static func user(_ name: String) -> Grantee { Grantee(.user, name) }

    package static func role(_ name: String) -> Grantee { Grantee(.role, name) }
}

extension Grantee: CustomStringConvertible {
    package var description: String { "\(kind) \"\(name)\"" }
}

/// The two kinds of grantee.
package enum PrincipalKind: Int64, Hashable, Sendable {
    case user = 0
    case role = 1
}

/// A login session. Times are milliseconds since 1970.
package struct SessionRecord: Hashable, Sendable {
    /// The hash of the session's ID. The ID itself is not stored.
    package let key: [UInt8]

    package let user: String

    /// The user's session generation at the creation of this session.
    package let generation: Int64

    package let created: Int64
    package var expires: Int64

    /// Lifetime from the last renewal, in milliseconds; 0 for a session that is never renewed.
    package let timeToLive: Int64

    package init(key: [UInt8], user: String, generation: Int64, created: Int64, expires: Int64, timeToLive: Int64) {
        self.key = key
        self.user = user
        self.generation = generation
        self.created = created
        self.expires = expires
        self.timeToLive = timeToLive
    }
}
