/// A string that is compared by its UTF-8 bytes, as SQLite and the protocols compare document IDs and attachment names.
///
/// `String` treats canonically equivalent texts as equal: "é" as one scalar, and as a letter with a combining accent. As document IDs
/// these are different. Sets and dictionary keys use this type for texts from outside.
package struct ExactString: Hashable, Sendable {
    /// The text.
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (a: ExactString, b: ExactString) -> Bool {
        a.string.utf8.elementsEqual(b.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // 0xff never occurs in UTF-8, so it separates consecutive strings in the hash.
        hasher.combine(0xff as UInt8)
    }
}

extension ExactString: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral string: String) {
        self.init(string)
    }

    package var description: String { string }
}
