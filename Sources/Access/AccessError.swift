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
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The request has no login, and the guest is disabled.
        package static let loginRequired = Code("loginRequired")
        /// Wrong name or password, or a disabled account. The reply does not distinguish them.
        package static let invalidLogin = Code("invalidLogin")
        /// The session is unknown, has expired, or was ended.
        package static let invalidSession = Code("invalidSession")
        /// Too many recent wrong passwords.
        package static let tooManyAttempts = Code("tooManyAttempts")
        /// The queue of logins is full.
        package static let busy = Code("busy")
        /// A logged-in user was deleted.
        package static let accountGone = Code("accountGone")
        /// A logged-in user was disabled.
        package static let accountDisabled = Code("accountDisabled")
        /// The request is invalid.
        package static let badRequest = Code("badRequest")
        /// The user, role or session does not exist.
        package static let notFound = Code("notFound")
        /// The name is taken.
        package static let alreadyExists = Code("alreadyExists")
        /// The operation is never allowed, such as the deletion of the guest.
        package static let notAllowed = Code("notAllowed")
        /// The stored record of a user or role is unreadable.
        package static let damaged = Code("damaged")
    }
}

extension AccessError: CustomStringConvertible {
    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
