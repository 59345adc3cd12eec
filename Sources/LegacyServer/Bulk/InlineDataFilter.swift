import Documents

/// Removes large attachments from a `_bulk_docs` body as it arrives. The remaining text is held in memory and parsed as usual; the base64 is not
/// held.
///
/// `"data":"…"` is replaced by `"follows":true`, as in a multipart body. The filter uses only the structure and does not validate: invalid JSON
/// remains invalid, and the parser of the remaining text reports it.
struct InlineDataFilter {
    enum Event: Equatable {
        /// The start of an attachment. `document` is its document's index in `docs`, from 0.
        case began(document: Int, name: String)
        /// The next base64 characters.
        case data([UInt8])
        case ended
    }

    private struct Level {
        let isObject: Bool
        var expectsKey: Bool
        /// The range in ``text`` of the current member's key, without quotes.
        var key = 0..<0
        /// The index of the current element.
        var index = 0
    }

    private enum Mode {
        case structure
        case key(start: Int)
        case string
        /// A string that is removed if it exceeds the threshold.
        case data(start: Int)
        case removed
    }

    /// The remaining body.
    private(set) var text: [UInt8] = []

    /// Strings of at most this size in bytes are not removed.
    private let threshold: Int

    private var mode = Mode.structure
    private var levels: [Level] = []
    private var depth = 0
    /// The incomplete current escape sequence.
    private var escape: [UInt8] = []

    /// `{docs: [{_attachments: {NAME: {data`
    private static let path: [(isObject: Bool, key: [UInt8]?)] = [
        (true, Array("docs".utf8)), (false, nil), (true, Array("_attachments".utf8)), (true, nil), (true, Array("data".utf8)),
    ]

    /// The structural bytes outside of strings, and the bytes that end a run of plain text within a string.
    private static let structural = ByteSet(#"{}[],:""#)
    private static let endOfText = ByteSet(#""\"#)

    init(threshold: Int) {
        self.threshold = threshold
    }

    /// Consumes the next bytes of the body.
    mutating func consume(_ bytes: ArraySlice<UInt8>) -> [Event] {
        var events: [Event] = []
        var rest = bytes
        while let byte = rest.first {
            if case .structure = mode {
                let next = rest.firstIndex(in: Self.structural)
                text.append(contentsOf: rest[..<next])
                rest = rest[next...]
                guard let byte = rest.popFirst() else { break }
                text.append(byte)
                consumeStructure(byte)
            } else if !escape.isEmpty {
                rest.removeFirst()
                consumeEscape(byte, &events)
            } else {
                let end = rest.firstIndex(in: Self.endOfText)
                consumeText(rest[..<end], &events)
                rest = rest[end...]
                guard let byte = rest.popFirst() else { break }
                if byte == UInt8(ascii: "\\") { escape = [byte] } else { endString(&events) }
            }
        }
        return events
    }

    private mutating func consumeStructure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            let isObject = byte == UInt8(ascii: "{")
            if depth <= Self.path.count { levels.append(Level(isObject: isObject, expectsKey: isObject)) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == levels.count { _ = levels.popLast() }
            depth = max(0, depth - 1)
        case UInt8(ascii: ","):
            guard depth == levels.count, let last = levels.indices.last else { return }
            levels[last].expectsKey = levels[last].isObject
            levels[last].index += 1
        case UInt8(ascii: ":"):
            guard depth == levels.count, let last = levels.indices.last else { return }
            levels[last].expectsKey = false
        case UInt8(ascii: "\""):
            if depth == levels.count, levels.last?.expectsKey == true {
                mode = .key(start: text.count)
            } else {
                mode = isAtData ? .data(start: text.count) : .string
            }
        default: break
        }
    }

    /// Whether a value that begins at this point is the data of an attachment.
    private var isAtData: Bool {
        guard depth == Self.path.count, levels.count == depth else { return false }
        return zip(levels, Self.path).allSatisfy { level, wanted in
            level.isObject == wanted.isObject && (wanted.key.map { text[level.key].elementsEqual($0) } ?? true)
        }
    }

    private mutating func consumeText(_ bytes: ArraySlice<UInt8>, _ events: inout [Event]) {
        guard !bytes.isEmpty else { return }
        if case .removed = mode { return events.append(.data(Array(bytes))) }
        text.append(contentsOf: bytes)
        if case .data(let start) = mode, text.count - start > threshold { removeData(from: start, &events) }
    }

    /// Handles an escape sequence when it is complete. In base64 it is replaced by its character: many writers escape the slash.
    private mutating func consumeEscape(_ byte: UInt8, _ events: inout [Event]) {
        escape.append(byte)
        guard escape[1] != UInt8(ascii: "u") || escape.count == 6 else { return }
        let whole = escape
        escape = []
        if case .removed = mode { consumeText(Self.unescaped(whole)[...], &events) } else { consumeText(whole[...], &events) }
    }

    private mutating func endString(_ events: inout [Event]) {
        switch mode {
        case .removed: events.append(.ended)
        case .key(let start):
            if let last = levels.indices.last { levels[last].key = start..<text.count }
            text.append(UInt8(ascii: "\""))
        default: text.append(UInt8(ascii: "\""))
        }
        mode = .structure
    }

    /// Emits the start of an attachment and the data received so far, unless the name is invalid.
    private mutating func removeData(from start: Int, _ events: inout [Event]) {
        guard let name = try? JSONReader.read([0x22] + text[levels[3].key] + [0x22], { try $0.string() }) else {
            mode = .string
            return
        }
        events.append(.began(document: levels[1].index, name: name))
        events.append(.data(Self.unescaped(Array(text[start...]))))
        text.removeSubrange((levels[4].key.lowerBound - 1)...)
        text.append(contentsOf: "\"follows\":true".utf8)
        mode = .removed
    }

    /// The unescaped characters of a string; unchanged if the string is invalid, in which case it is not valid base64 either.
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "\\")) else { return text }
        return (try? JSONReader.read([0x22] + text + [0x22], { Array(try $0.string().utf8) })) ?? text
    }
}

/// A set of bytes to search for.
private struct ByteSet {
    private var members = [Bool](repeating: false, count: 256)

    init(_ text: String) {
        for byte in text.utf8 { members[Int(byte)] = true }
    }

    fileprivate func withMembers<Value>(_ body: (UnsafeBufferPointer<Bool>) -> Value) -> Value { members.withUnsafeBufferPointer(body) }
}

extension ArraySlice<UInt8> {
    /// The index of the first byte that is in the set; the end index if there is none. Scans the memory directly, because bodies are large.
    fileprivate func firstIndex(in set: ByteSet) -> Int {
        set.withMembers { members in
            withUnsafeBufferPointer { bytes in
                var index = 0
                while index < bytes.count, !members[Int(bytes[index])] { index += 1 }
                return startIndex + index
            }
        }
    }
}
