/// Why a store could not do what it was asked.
///
/// Two errors are equal when their codes are: the message is for people.
public struct StorageError: Error, Sendable {
    /// What kind of failure it is.
    public let code: Code

    /// What failed, where, and what to do about it.
    public let message: String

    /// The error underneath, if there was one.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension StorageError: Hashable {
    public static func == (a: StorageError, b: StorageError) -> Bool { a.code == b.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        guard let cause else { return message }
        return "\(message) (\(cause))"
    }
}

extension StorageError {
    /// The kinds of failure that a store can meet.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as it appears in logs.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// There is no store at the path.
        public static let notFound = Code("notFound")

        /// There is something at the path, but it is no store of ours.
        public static let notAStore = Code("notAStore")

        /// The store was written by a newer version of this program.
        public static let newerSchema = Code("newerSchema")

        /// The store was written by an older version of this program, and may not be changed.
        public static let olderSchema = Code("olderSchema")

        /// The store's file is damaged.
        public static let corrupt = Code("corrupt")

        /// The file system does not let us write.
        public static let readOnly = Code("readOnly")

        /// The disk is full.
        public static let full = Code("full")

        /// Another process holds the store for longer than we wait.
        public static let busy = Code("busy")

        /// Reading or writing the file failed.
        public static let inputOutput = Code("inputOutput")

        /// What was to be stored contradicts what is stored: an ID or a sequence that is taken, a document that is not there.
        public static let conflict = Code("conflict")

        /// An argument is out of its bounds.
        public static let invalidArgument = Code("invalidArgument")

        /// The store was closed.
        public static let closed = Code("closed")

        /// SQLite refused for a reason that only a fault in this program explains.
        public static let unexpected = Code("unexpected")
    }

    /// Whether the failure is of the store's file, so that nobody's work can go on, rather than of the work.
    public var isOfStore: Bool {
        switch code {
        case .full, .corrupt, .readOnly, .busy, .inputOutput, .closed, .notAStore: true
        default: false
        }
    }
}
