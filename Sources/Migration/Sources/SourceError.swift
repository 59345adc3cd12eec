/// Why a source cannot be read.
public struct SourceError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Nothing is there, or nobody answers. Exit code 3.
        public static let unreachable = Code("unreachable")
        /// It is there, but is not what its form says, or of a kind that cannot be read. Exit code 2.
        public static let unsupported = Code("unsupported")
        /// It is encrypted. Exit code 2.
        public static let encrypted = Code("encrypted")
        /// It is damaged beyond single documents.
        public static let damaged = Code("damaged")
        /// It wants a login, or another one. Exit code 2.
        public static let unauthorized = Code("unauthorized")
        /// The server answers, and has no such database. Exit code 2.
        public static let noDatabase = Code("noDatabase")
        /// An attachment's bytes are not there.
        public static let attachmentMissing = Code("attachmentMissing")
        /// It is another source, or has changed so that the cursor means nothing any more.
        public static let changed = Code("changed")
    }

    public let code: Code

    /// What happened, where, and what to do.
    public let message: String
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(message) (\($0))" } ?? message
    }
}
