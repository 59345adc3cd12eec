/// Why a login did not come about. Its texts never contain what was presented.
public struct LoginError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The HTTP status that says it.
        public let status: Int

        private init(_ description: String, status: Int) {
            self.description = description
            self.status = status
        }

        /// What was presented cannot be read: 400.
        public static let malformed = Code("malformed", status: 400)
        /// What was presented proves nothing to us: 401.
        public static let refused = Code("refused", status: 401)
        /// Whoever has to be asked does not answer, or not properly, or has been asked too often: 503. Worth another try.
        public static let unavailable = Code("unavailable", status: 503)
        /// The configuration of the authenticator cannot be used: 500.
        public static let misconfigured = Code("misconfigured", status: 500)
    }

    public let code: Code

    /// What happened, where, and what to do. May be shown to the client.
    public let message: String

    /// What brought it about, for the log; never sent to the client.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
