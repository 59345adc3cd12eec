import HTTP

/// Why a replication, or one document of it, failed: the codes of Couchbase Lite 1.x, which are HTTP's statuses where there was an answer.
public struct ReplicationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: Code

    /// What happened, where, and what to do.
    public let message: String

    /// What is behind it, in words.
    public let cause: String?

    /// Who gave the answer; `nil` where there was none, and where this side has failed.
    public let origin: Origin?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil, from origin: Origin? = nil) {
        self.code = code
        self.origin = origin
        self.message = message
        self.cause = cause.map { PlainCause.text($0) }
    }

    /// `CBLHTTP` for statuses and Couchbase Lite's own codes, `NSURLErrorDomain` where there was no answer.
    public var domain: String { code.rawValue < 0 ? "NSURLErrorDomain" : "CBLHTTP" }

    /// What happened, where, why, and what to do, without numbers: for people.
    public var text: String { cause.map { "\(message) (\($0))" } ?? message }

    public var description: String {
        cause.map { "\(domain) \(code.rawValue): \(message) (\($0))" } ?? "\(domain) \(code.rawValue): \(message)"
    }
}
