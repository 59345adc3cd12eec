/// An error in a JSON text, with its offset.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package let code: Code

    /// The offset of the error, in bytes from the start of the text.
    package let offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    package var description: String {
        "\(code.description) at byte \(offset)"
    }

    /// The text for clients: for an incomplete text Go's message, which Sync Gateway sends; otherwise the description.
    package var reason: String {
        guard code == .unexpectedEnd else { return description }
        return offset == 0 ? "EOF" : "unexpected EOF"
    }
}

extension JSONError {
    /// The kinds of JSON errors.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The text ends in the middle of a value.
        case unexpectedEnd = "unexpected end of JSON input"

        /// A byte is not allowed by the grammar at its position.
        case unexpectedByte = "unexpected character"

        /// The text continues after its value.
        case trailingBytes = "unexpected data after the value"

        /// A number is malformed by RFC 8259.
        case badNumber = "malformed number"

        /// A backslash begins an invalid escape.
        case badEscape = "malformed escape in a string"

        /// A string has an unescaped control character.
        case controlCharacter = "control character in a string"

        /// A string is not valid UTF-8.
        case badUTF8 = "malformed UTF-8 in a string"

        /// A string that must be decoded has a lone surrogate.
        case loneSurrogate = "lone surrogate in a string"

        /// A key occurs twice in one object.
        case duplicateKey = "duplicate key in an object"

        /// Arrays and objects are nested too deeply.
        case tooDeep = "too many nested arrays and objects"

        /// The value does not have the expected type.
        case wrongType = "value of another type expected"

        /// A number is not an integer that fits 64 bits.
        case notAnInteger = "whole number expected"

        /// The error message.
        package var description: String { rawValue }
    }
}
