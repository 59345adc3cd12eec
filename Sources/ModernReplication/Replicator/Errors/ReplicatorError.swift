import HTTP

/// Why a replication, or one document of it, failed: Couchbase Lite's error domains and codes (docs/protocol/modern-2x.md#error-codes).
public struct ReplicatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The domain that Couchbase Lite gives all of these codes.
    public static let domain = "CouchbaseLite"

    public let code: Code

    /// What happened, where, and what to do.
    public let message: String

    /// What is behind it, in words.
    public let cause: String?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause.map { PlainCause.text($0) }
    }

    /// What happened, where, why, and what to do, without numbers: for people.
    public var text: String { cause.map { "\(message) (\($0))" } ?? message }

    public var description: String {
        cause.map { "\(Self.domain) \(code): \(message) (\($0))" } ?? "\(Self.domain) \(code): \(message)"
    }
}
