/// A failure of a store.
///
/// Two errors are equal if their codes are equal: the message is for people.
package struct StorageError: Error, Sendable {
    /// The kind of failure.
    package let code: Code

    /// The failure, its place and its remedy.
    package let message: String

    /// The underlying error, if any.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension StorageError: Hashable {
    package static func == (a: StorageError, b: StorageError) -> Bool { a.code == b.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        guard let cause else { return message }
        return "\(message) (\(cause))"
    }
}

extension StorageError {
    /// The kinds of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as it appears in logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// There is no store at the path.
        package static let notFound = Code("notFound")

        /// The file or folder at the path is not a store.
        package static let notAStore = Code("notAStore")

        /// The store was written by a newer version of this program.
        package static let newerSchema = Code("newerSchema")

        /// The store was written by an older version of this program, and must not be changed.
        package static let olderSchema = Code("olderSchema")

        /// The store's file is damaged.
        package static let corrupt = Code("corrupt")

        /// The file system denies writing.
        package static let readOnly = Code("readOnly")

        /// The disk is full.
        package static let full = Code("full")

        /// Another process has locked the store for longer than the timeout.
        package static let busy = Code("busy")

        /// Reading or writing the file failed.
        package static let inputOutput = Code("inputOutput")

        /// The write contradicts the stored state: an ID or a sequence that is taken, a missing document.
        package static let conflict = Code("conflict")

        /// An argument is out of bounds.
        package static let invalidArgument = Code("invalidArgument")

        /// The store was closed.
        package static let closed = Code("closed")

        /// An SQLite error that only a fault in this program explains.
        package static let unexpected = Code("unexpected")
    }

    /// Whether the store's file failed, which affects all callers, rather than the caller's own work.
    package var isOfStore: Bool {
        switch code {
        case .full, .corrupt, .readOnly, .busy, .inputOutput, .closed, .notAStore: true
        default: false
        }
    }
}
