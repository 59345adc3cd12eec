public import Documents

/// Why the gateway refused something. Each protocol says it in its own form.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// What was sent cannot be right, whatever the database holds.
        public static let badRequest = Code("badRequest")
        /// The user is no longer there, or was disabled.
        public static let unauthorized = Code("unauthorized")
        /// The reader may not, or the writer may not.
        public static let forbidden = Code("forbidden")
        /// A sync function wants somebody else to be logged in: `throw({unauthorized: "…"})`.
        public static let loginWanted = Code("loginWanted")
        /// There is no such document, revision, attachment or collection.
        public static let notFound = Code("notFound")
        /// The document is there, as a tombstone.
        public static let deleted = Code("deleted")
        /// The revision does not descend from the one it has to.
        public static let conflict = Code("conflict")
        /// An attachment is named whose bytes are not here.
        public static let missingAttachment = Code("missingAttachment")
        public static let tooLarge = Code("tooLarge")
        /// The configuration cannot be used.
        public static let configuration = Code("configuration")
        /// The database is offline, closing, or its store fails: worth another try.
        public static let unavailable = Code("unavailable")
        /// A JavaScript function failed.
        public static let script = Code("script")
    }

    public let code: Code

    /// What happened, where, and what to do.
    public let message: String

    /// With `conflict`: the winning revision that stands in the way.
    public let current: RevisionID?
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, current: RevisionID? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.current = current
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
