/// Why somebody was not let in, or a user or role not changed.
public struct AccessError: Error, Sendable {
    public let code: Code

    /// What is wrong and what to do. Sync Gateway's words where clients and scripts know them.
    public let message: String

    /// With `tooManyAttempts` and `busy`: after how many seconds another try is worth it.
    public let retryAfter: Int?

    /// What brought it about, for the log; never sent to the client.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, retryAfter: Int? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.cause = cause
    }
}

extension AccessError {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Nobody has logged in, and the guest is not let in.
        public static let loginRequired = Code("loginRequired")
        /// Wrong name or password, or an account that is disabled: nobody is told which.
        public static let invalidLogin = Code("invalidLogin")
        /// The session is not known, has expired, or was ended.
        public static let invalidSession = Code("invalidSession")
        /// Too many wrong passwords of late.
        public static let tooManyAttempts = Code("tooManyAttempts")
        /// More logins wait to be checked than can be.
        public static let busy = Code("busy")
        /// A user who was let in is no longer there.
        public static let accountGone = Code("accountGone")
        /// A user who was let in has been shut out.
        public static let accountDisabled = Code("accountDisabled")
        /// What was sent cannot be right.
        public static let badRequest = Code("badRequest")
        /// There is no such user, role or session.
        public static let notFound = Code("notFound")
        /// There is one of that name already.
        public static let alreadyExists = Code("alreadyExists")
        /// What is never done, such as deleting the guest.
        public static let notAllowed = Code("notAllowed")
        /// What the store holds of a user or role cannot be read.
        public static let damaged = Code("damaged")
    }
}

extension AccessError: CustomStringConvertible {
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
