/// A failed login with an authenticator. Its texts never contain the client's token or password.
package struct LoginError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The HTTP status of the reply.
        package let status: Int

        private init(_ description: String, status: Int) {
            self.description = description
            self.status = status
        }

        /// The token is unreadable: 400.
        package static let malformed = Code("malformed", status: 400)
        /// The token is not accepted: 401.
        package static let refused = Code("refused", status: 401)
        /// The authenticator does not reply, or not properly, or a limit of requests was reached: 503. A retry can succeed.
        package static let unavailable = Code("unavailable", status: 503)
        /// The configuration of the authenticator is unusable: 500.
        package static let misconfigured = Code("misconfigured", status: 500)
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
