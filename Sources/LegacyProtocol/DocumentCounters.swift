package import HTTP
package import NIOCore

/// Counts the objects at one depth of a JSON text, as the text passes by. The server that reads the text checks it.
package struct ItemCounter: Sendable {
    /// The number of arrays and objects around a counted object.
    private let depth: Int
    private var open = 0
    private var isInString = false
    private var isEscaped = false
    package private(set) var count = 0

    package init(depth: Int) {
        self.depth = depth
    }

    package mutating func add(_ bytes: ByteBuffer) {
        for byte in bytes.readableBytesView { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"):
            if open == depth { count += 1 }
            open += 1
        case UInt8(ascii: "["): open += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): open = max(0, open - 1)
        default: break
        }
    }
}

/// Counts the parts of a multipart body, as the body passes by.
package struct PartCounter: Sendable {
    /// The delimiter with the line break before it. Only its first byte is a carriage return, so a match begins there alone.
    private let delimiter: [UInt8]
    private var matched: Int
    private var delimiters = 0

    package init(_ boundary: MultipartBoundary) {
        delimiter = Array("\r\n--\(boundary.text)".utf8)
        // A body begins with a delimiter, without a line break.
        matched = 2
    }

    /// The number of parts that have begun; of a whole body, the number of parts. The last delimiter ends the body.
    package var count: Int { max(0, delimiters - 1) }

    package mutating func add(_ bytes: ByteBuffer) {
        for byte in bytes.readableBytesView {
            if byte == delimiter[matched] {
                matched += 1
            } else {
                matched = byte == delimiter[0] ? 1 : 0
            }
            if matched == delimiter.count { (delimiters, matched) = (delimiters + 1, 0) }
        }
    }
}
