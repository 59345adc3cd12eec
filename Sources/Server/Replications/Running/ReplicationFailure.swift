/// Why a replication, or one document of it, failed.
public struct ReplicationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What was asked for is not taken: credentials, a database, a setting. Trying again does not help.
        case refused
        /// The other side cannot be reached, or failed.
        case unreachable
    }

    public let kind: Kind

    /// HTTP's status, where it was one.
    public let status: Int?

    /// What happened, where, and what to do. It has no secret in it.
    public let message: String

    public init(_ kind: Kind, status: Int? = nil, _ message: String) {
        self.kind = kind
        self.status = status
        self.message = message
    }

    public var description: String { message }
}
