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
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The text is not JSON, or its structure is not the expected one.
        case badJSON

        /// A key occurs twice in one object.
        case duplicateKey

        /// Arrays and objects are nested too deeply.
        case tooDeep

        /// The text or a part of it exceeds a size or count limit.
        case tooLarge

        /// A document ID is empty, too long or not allowed.
        case badDocumentID

        /// A revision ID is not of the form `generation-digest`.
        case badRevisionID

        /// A version of a document, or a version vector, is malformed.
        case badVersion

        /// A revision history is malformed, or contradicts its revision.
        case badRevisions

        /// A named revision is not in the tree.
        case unknownRevision

        /// The stored form of a revision tree is damaged, or newer than this program.
        case badTree

        /// An attachment's metadata is incomplete or contradicts itself.
        case badAttachment

        /// A stub refers to bytes that cannot exist.
        case missingAttachment

        /// Inline data is not base64.
        case badBase64

        /// The bytes do not have the announced digest.
        case digestMismatch

        /// The bytes do not have the announced length.
        case lengthMismatch

        /// A delta is malformed, or does not match its base.
        case badDelta

        /// A selector is malformed, or uses an unknown operator.
        case badSelector

        /// A top-level property with a leading underscore is not allowed here.
        case reservedProperty

        /// The code's name, as it appears in logs.
        package var description: String { rawValue }
    }

    /// The error for malformed JSON.
    package init(_ error: JSONError) {
        switch error.code {
        case .duplicateKey: self.init(.duplicateKey, "Bad JSON: \(error.reason)", cause: error)
        case .tooDeep: self.init(.tooDeep, "Bad JSON: \(error.reason)", cause: error)
        case .unexpectedEnd, .unexpectedByte, .trailingBytes, .badNumber, .badEscape, .controlCharacter, .badUTF8, .loneSurrogate,
            .wrongType,
            .notAnInteger:
            self.init(.badJSON, "Bad JSON: \(error.reason)", cause: error)
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
