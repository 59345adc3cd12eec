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
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The error message.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The text ends in the middle of a value.
        package static let unexpectedEnd = Code("unexpected end of JSON input")

        /// A byte is not allowed by the grammar at its position.
        package static let unexpectedByte = Code("unexpected character")

        /// The text continues after its value.
        package static let trailingBytes = Code("unexpected data after the value")

        /// A number is malformed by RFC 8259.
        package static let badNumber = Code("malformed number")

        /// A backslash begins an invalid escape.
        package static let badEscape = Code("malformed escape in a string")

        /// A string has an unescaped control character.
        package static let controlCharacter = Code("control character in a string")

        /// A string is not valid UTF-8.
        package static let badUTF8 = Code("malformed UTF-8 in a string")

        /// A string that must be decoded has a lone surrogate.
        package static let loneSurrogate = Code("lone surrogate in a string")

        /// A key occurs twice in one object.
        package static let duplicateKey = Code("duplicate key in an object")

        /// Arrays and objects are nested too deeply.
        package static let tooDeep = Code("too many nested arrays and objects")

        /// The value does not have the expected type.
        package static let wrongType = Code("value of another type expected")

        /// A number is not an integer that fits 64 bits.
        package static let notAnInteger = Code("whole number expected")
    }
}
