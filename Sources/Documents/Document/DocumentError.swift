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

extension DocumentError {
    /// The kinds of fault that a document can have.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as it appears in logs.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The text is not JSON, or not the JSON that is wanted here.
        public static let badJSON = Code("badJSON")

        /// A key occurs twice in one object.
        public static let duplicateKey = Code("duplicateKey")

        /// Arrays and objects are nested too deeply.
        public static let tooDeep = Code("tooDeep")

        /// The text or a part of it is over its limit of size or count.
        public static let tooLarge = Code("tooLarge")

        /// A document ID is empty, too long or not allowed.
        public static let badDocumentID = Code("badDocumentID")

        /// A revision ID is not of the form `generation-digest`.
        public static let badRevisionID = Code("badRevisionID")

        /// A version of a document, or a vector of them, is not well-formed.
        public static let badVersion = Code("badVersion")

        /// A revision history is not well-formed, or disagrees with its revision.
        public static let badRevisions = Code("badRevisions")

        /// A revision that was named is not in the tree.
        public static let unknownRevision = Code("unknownRevision")

        /// The stored form of a revision tree is damaged, or newer than this program.
        public static let badTree = Code("badTree")

        /// An attachment's metadata is incomplete or contradicts itself.
        public static let badAttachment = Code("badAttachment")

        /// A stub names bytes that cannot be anywhere.
        public static let missingAttachment = Code("missingAttachment")

        /// Inline data is not base64.
        public static let badBase64 = Code("badBase64")

        /// Bytes do not have the digest that was announced for them.
        public static let digestMismatch = Code("digestMismatch")

        /// Bytes do not have the length that was announced for them.
        public static let lengthMismatch = Code("lengthMismatch")

        /// A delta is malformed, or does not fit what it is applied to.
        public static let badDelta = Code("badDelta")

        /// A selector is malformed, or has an operator that is not known.
        public static let badSelector = Code("badSelector")

        /// A top-level property with a leading underscore is not allowed here.
        public static let reservedProperty = Code("reservedProperty")
    }

    /// The error of a text that is not the JSON it should be.
    public init(_ error: JSONError) {
        switch error.code {
        case .duplicateKey: self.init(.duplicateKey, "Bad JSON: \(error.reason)", cause: error)
        case .tooDeep: self.init(.tooDeep, "Bad JSON: \(error.reason)", cause: error)
        default: self.init(.badJSON, "Bad JSON: \(error.reason)", cause: error)
        }
    }

    /// Runs something that reads JSON, and gives its JSON errors as errors of the document.
    static func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as JSONError {
            throw DocumentError(error)
        }
    }
}
