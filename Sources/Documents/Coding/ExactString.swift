/// A text that is compared by its bytes, as SQLite and the protocols compare document IDs and attachments' names.
///
/// `String` takes canonically equivalent texts for equal: "é" as one scalar, and as a letter with a combining accent. These are two IDs. In
/// sets and as keys of dictionaries, texts that come from outside stand as this.
public struct ExactString: Hashable, Sendable {
    /// The text.
    public let string: String

    public init(_ string: String) {
        self.string = string
    }

    public static func == (a: ExactString, b: ExactString) -> Bool {
        a.string.utf8.elementsEqual(b.string.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A byte that no UTF-8 has: where one text ends and the next begins.
        hasher.combine(0xff as UInt8)
    }
}

extension ExactString: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral string: String) {
        self.init(string)
    }

    public var description: String { string }
}
