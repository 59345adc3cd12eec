/// Why a request's target was refused.
public struct RequestTargetError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The target is longer than the limit.
        public static let tooLong = Code(description: "tooLong")
        /// More path segments than the limit.
        public static let tooManySegments = Code(description: "tooManySegments")
        /// More query items than the limit.
        public static let tooManyQueryItems = Code(description: "tooManyQueryItems")
        /// Neither a path nor a URL nor `*`.
        public static let malformed = Code(description: "malformed")
        /// A space, a control character, or an encoded NUL.
        public static let forbiddenCharacter = Code(description: "forbiddenCharacter")
        /// A `%` without two hexadecimal digits.
        public static let invalidEscape = Code(description: "invalidEscape")
        /// Percent-decoded bytes that are no UTF-8.
        public static let invalidUTF8 = Code(description: "invalidUTF8")
        /// A query item whose value is not of the type it must have.
        public static let invalidParameter = Code(description: "invalidParameter")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, where, and what to do; free of line breaks and fit for a `reason`.
    public let message: String

    /// The HTTP status that answers it: 414 for a target that is too long (CouchDB's replicator then asks for less), else 400.
    public var status: Int { code == .tooLong ? 414 : 400 }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension RequestTargetError: CustomStringConvertible {
    public var description: String { message }
}
