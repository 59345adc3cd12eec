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
