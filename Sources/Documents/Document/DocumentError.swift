/// An error in a document, a revision or an attachment from outside.
///
/// Two errors are equal when their codes are equal; the message is for people.
package struct DocumentError: Error, Sendable {
    /// The kind of error. A listener maps it to a status.
    package let code: Code

    /// What is wrong, where, and what is expected.
    package let message: String

    /// The JSON error that caused this error, if any.
    package let cause: JSONError?

    package init(_ code: Code, _ message: String, cause: JSONError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension DocumentError: Hashable {
    package static func == (lhs: DocumentError, rhs: DocumentError) -> Bool {
        lhs.code == rhs.code
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}

extension DocumentError: CustomStringConvertible {
    package var description: String {
        guard let cause else { return "\(code): \(message)" }
        return "\(code): \(message) (\(cause))"
    }
}

extension DocumentError {
    /// The kinds of document errors.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as it appears in logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The text is not JSON, or its structure is not the expected one.
        package static let badJSON = Code("badJSON")

        /// A key occurs twice in one object.
        package static let duplicateKey = Code("duplicateKey")

        /// Arrays and objects are nested too deeply.
        package static let tooDeep = Code("tooDeep")

        /// The text or a part of it exceeds a size or count limit.
        package static let tooLarge = Code("tooLarge")

        /// A document ID is empty, too long or not allowed.
        package static let badDocumentID = Code("badDocumentID")

        /// A revision ID is not of the form `generation-digest`.
        package static let badRevisionID = Code("badRevisionID")

        /// A version of a document, or a version vector, is malformed.
        package static let badVersion = Code("badVersion")

        /// A revision history is malformed, or contradicts its revision.
        package static let badRevisions = Code("badRevisions")

        /// A named revision is not in the tree.
        package static let unknownRevision = Code("unknownRevision")

        /// The stored form of a revision tree is damaged, or newer than this program.
        package static let badTree = Code("badTree")

        /// An attachment's metadata is incomplete or contradicts itself.
        package static let badAttachment = Code("badAttachment")

        /// A stub refers to bytes that cannot exist.
        package static let missingAttachment = Code("missingAttachment")

        /// Inline data is not base64.
        package static let badBase64 = Code("badBase64")

        /// The bytes do not have the announced digest.
        package static let digestMismatch = Code("digestMismatch")

        /// The bytes do not have the announced length.
        package static let lengthMismatch = Code("lengthMismatch")

        /// A delta is malformed, or does not match its base.
        package static let badDelta = Code("badDelta")

        /// A selector is malformed, or uses an unknown operator.
        package static let badSelector = Code("badSelector")

        /// A top-level property with a leading underscore is not allowed here.
        package static let reservedProperty = Code("reservedProperty")
    }

    /// The error for malformed JSON.
    package init(_ error: JSONError) {
        switch error.code {
        case .duplicateKey: self.init(.duplicateKey, "Bad JSON: \(error.reason)", cause: error)
        case .tooDeep: self.init(.tooDeep, "Bad JSON: \(error.reason)", cause: error)
        default: self.init(.badJSON, "Bad JSON: \(error.reason)", cause: error)
        }
    }

    /// Runs a closure that reads JSON, and converts its JSON errors to document errors.
    static func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as JSONError {
            throw DocumentError(error)
        }
    }
}
