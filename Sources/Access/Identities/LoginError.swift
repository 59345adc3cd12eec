/// A failed login with an authenticator. Its texts never contain the client's token or password.
package struct LoginError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The token is unreadable: 400.
        case malformed
        /// The token is not accepted: 401.
        case refused
        /// The authenticator does not reply, or not properly, or a limit of requests was reached: 503. A retry can succeed.
        case unavailable
        /// The configuration of the authenticator is unusable: 500.
        case misconfigured

        package var description: String { rawValue }
    }

    package let code: Code

    /// The failure, its place and its remedy. May be sent to the client.
    package let message: String

    /// The underlying error, for the log. Never sent to the client.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
