package import HTTP
package import NIOCore

/// Follows the nesting of a JSON text byte by byte. The server that reads the text checks it.
private struct JSONNesting: Sendable {
    enum Step {
        case objectBegan, arrayBegan, ended, stringBegan, stringEnded
        /// A byte of a string.
        case text
        /// Any other byte.
        case other
    }

    /// The number of open arrays and objects.
    private(set) var depth = 0
    private var isInString = false
    private var isEscaped = false

    mutating func consume(_ byte: UInt8) -> Step {
        if isInString {
            let isText = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            isInString = isText
            return isText ? .text : .stringEnded
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            return .stringBegan
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            return byte == UInt8(ascii: "{") ? .objectBegan : .arrayBegan
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(0, depth - 1)
            return .ended
        default: return .other
        }
    }
}

/// Counts the objects at one depth of a JSON text, as the text passes by.
package struct ItemCounter: Sendable {
    /// The number of arrays and objects around a counted object.
    private let depth: Int
    private var nesting = JSONNesting()
    package private(set) var count = 0

    package init(depth: Int) {
        self.depth = depth
    }

    package mutating func add(_ bytes: ByteBuffer) {
        for byte in bytes.readableBytesView where nesting.consume(byte) == .objectBegan && nesting.depth == depth + 1 { count += 1 }
    }
}

/// Counts the rows of a response to `_bulk_docs`, as the response passes by: `[{"id":"a","rev":"1-a"},{"id":"b","error":"conflict","status":409}]`.
package struct RowCounter: Sendable {
    /// The depth of the members of a row.
    private static let depth = 2

    /// The longest key or value that matters.
    private static let textLength = 16

    private var nesting = JSONNesting()

    /// The beginning of the last string, or of the value after the last colon.
    private var text: [UInt8] = []

    /// The key of the value that is being read; `nil` before a colon.
    private var key: String?
    private var hasError = false
    private var isConflict = false
    private var isArray = false
    private var hasBegun = false

    package private(set) var count = 0
    package private(set) var refused = 0
    package private(set) var conflicts = 0

    package init() {}

    /// Whether the bytes so far are a whole array.
    package var isComplete: Bool { isArray && nesting.depth == 0 }

    package mutating func add(_ bytes: ByteBuffer) {
        for byte in bytes.readableBytesView { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        let step = nesting.consume(byte)
        if !hasBegun, byte > 0x20 { (hasBegun, isArray) = (true, step == .arrayBegan) }
        switch (step, nesting.depth) {
        case (.stringBegan, Self.depth): text = []
        case (.text, Self.depth): append(byte)
        case (.stringEnded, Self.depth): break
        case (.other, Self.depth) where byte == UInt8(ascii: ":"): beginValue()
        case (.other, Self.depth) where byte == UInt8(ascii: ","): endValue()
        case (.other, Self.depth) where byte > 0x20: append(byte)
        case (.ended, Self.depth - 1): endRow()
        default: break
        }
    }

    private mutating func append(_ byte: UInt8) {
        if text.count <= Self.textLength { text.append(byte) }
    }

    private mutating func beginValue() {
        key = String(decoding: text, as: UTF8.self)
        text = []
        if key == "error" { hasError = true }
    }

    private mutating func endValue() {
        let value = String(decoding: text, as: UTF8.self)
        if key == "error" && value == "conflict" || key == "status" && value == "409" { isConflict = true }
        (key, text) = (nil, [])
    }

    private mutating func endRow() {
        endValue()
        count += 1
        if hasError, isConflict { conflicts += 1 } else if hasError { refused += 1 }
        (hasError, isConflict) = (false, false)
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
