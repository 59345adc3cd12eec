/// What is wrong with a JSON text, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public let code: Code

    /// The place of the fault: bytes from the start of the text.
    public let offset: Int

    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    public var description: String {
        "\(code.description) at byte \(offset)"
    }

    /// What a client is told: Go's words, which Sync Gateway sends, where a text ends too early; else the description.
    public var reason: String {
        guard code == .unexpectedEnd else { return description }
        return offset == 0 ? "EOF" : "unexpected EOF"
    }
}

extension JSONError {
    /// The kinds of fault that a JSON text can have.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The fault in words.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The text ends in the middle of a value.
        public static let unexpectedEnd = Code("unexpected end of JSON input")

        /// A byte stands where the grammar allows none like it.
        public static let unexpectedByte = Code("unexpected character")

        /// Something follows the text's one value.
        public static let trailingBytes = Code("unexpected data after the value")

        /// A number is not as RFC 8259 writes it.
        public static let badNumber = Code("malformed number")

        /// A backslash is followed by something that is no escape.
        public static let badEscape = Code("malformed escape in a string")

        /// A string has a control character that is not escaped.
        public static let controlCharacter = Code("control character in a string")

        /// A string is not UTF-8.
        public static let badUTF8 = Code("malformed UTF-8 in a string")

        /// A string that must be decoded has half of a surrogate pair.
        public static let loneSurrogate = Code("lone surrogate in a string")

        /// A key occurs twice in one object.
        public static let duplicateKey = Code("duplicate key in an object")

        /// Arrays and objects are nested too deeply.
        public static let tooDeep = Code("too many nested arrays and objects")

        /// The value is not of the type that is wanted here.
        public static let wrongType = Code("value of another type expected")

        /// A number is not a whole one that fits 64 bits.
        public static let notAnInteger = Code("whole number expected")
    }
}
