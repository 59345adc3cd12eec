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
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// There is no store at the path.
        case notFound

        /// The file or folder at the path is not a store.
        case notAStore

        /// The store was written by a newer version of this program.
        case newerSchema

        /// The store was written by an older version of this program, and must not be migrated or cannot be.
        case olderSchema

        /// The store's file is damaged.
        case corrupt

        /// The file system denies writing.
        case readOnly

        /// The disk is full.
        case full

        /// Another process has locked the store for longer than the timeout.
        case busy

        /// Reading or writing the file failed.
        case inputOutput

        /// The write contradicts the stored state: an ID or a sequence that is taken, a missing document.
        case conflict

        /// An argument is out of bounds.
        case invalidArgument

        /// Another bridge does this work now.
        case fenced

        /// The store was closed.
        case closed

        /// The store was moved to another place, and refuses writes.
        case moved

        /// Another process has put a new store in the place of the opened one. It has to be opened again.
        case replaced

        /// An SQLite error that only a fault in this program explains.
        case unexpected

        /// The code's name, as it appears in logs.
        package var description: String { rawValue }
    }

    /// Whether the store may be usable later without anybody's doing: its server is away, or is a standby that may be promoted.
    package var mayPass: Bool {
        switch code {
        case .readOnly, .busy, .full, .inputOutput, .fenced, .replaced: true
        case .notFound, .notAStore, .newerSchema, .olderSchema, .corrupt, .conflict, .invalidArgument, .closed, .moved, .unexpected: false
        }
    }

    /// Whether the store's file failed, which affects all callers, rather than the caller's own work.
    package var isOfStore: Bool {
        switch code {
        case .full, .corrupt, .readOnly, .busy, .inputOutput, .fenced, .closed, .moved, .replaced, .notAStore: true
        case .notFound, .newerSchema, .olderSchema, .conflict, .invalidArgument, .unexpected: false
        }
    }
}
