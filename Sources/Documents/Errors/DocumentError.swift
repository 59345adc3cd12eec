/// What is wrong with a document, a revision or an attachment that came from outside.
///
/// Two errors are equal when their codes are: the message is for people.
public struct DocumentError: Error, Sendable {
    /// What kind of fault it is. A listener maps it to a status.
    public let code: Code

    /// What is wrong, where, and what would be right.
    public let message: String

    /// The fault in the JSON text that led to this one, if there was one.
    public let cause: JSONError?

    public init(_ code: Code, _ message: String, cause: JSONError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension DocumentError: Hashable {
    public static func == (lhs: DocumentError, rhs: DocumentError) -> Bool {
        lhs.code == rhs.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}

extension DocumentError: CustomStringConvertible {
    public var description: String {
        guard let cause else { return "\(code): \(message)" }
        return "\(code): \(message) (\(cause))"
    }
}
