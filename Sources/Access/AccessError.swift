/// A failed login or a failed change of a user or role.
package struct AccessError: Error, Sendable {
    package let code: Code

    /// The fault and its remedy. Sync Gateway's text, where clients and scripts depend on it.
    package let message: String

    /// For `tooManyAttempts` and `busy`: the number of seconds after which to retry.
    package let retryAfter: Int?

    /// The underlying error, for the log. Never sent to the client.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, retryAfter: Int? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.cause = cause
    }
}

extension AccessError {
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The request has no login, and the guest is disabled.
        case loginRequired
        /// Wrong name or password, or a disabled account. The reply does not distinguish them.
        case invalidLogin
        /// The session is unknown, has expired, or was ended.
        case invalidSession
        /// Too many recent wrong passwords.
        case tooManyAttempts
        /// The queue of logins is full.
        case busy
        /// A logged-in user was deleted.
        case accountGone
        /// A logged-in user was disabled.
        case accountDisabled
        /// The request is invalid.
        case badRequest
        /// The user, role or session does not exist.
        case notFound
        /// The name is taken.
        case alreadyExists
        /// The operation is never allowed, such as the deletion of the guest.
        case notAllowed
        /// The stored record of a user or role is unreadable.
        case damaged

        package var description: String { rawValue }
    }
}

extension AccessError: CustomStringConvertible {
    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
