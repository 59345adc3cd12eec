import Documents

/// Takes the long attachments out of a `_bulk_docs` body while it comes: what is left of the body is held and read as ever, their base64 is not.
///
/// In the place of `"data":"…"` it leaves `"follows":true`, as in a multipart body. It goes by structure alone and judges nothing: a text that is no JSON
/// stays none, and whoever reads what is left finds that out.
struct InlineDataFilter {
    enum Event: Equatable {
        /// An attachment begins, of this document of `docs`, counted from 0.
        case began(document: Int, name: String)
        /// The next of its base64.
        case data([UInt8])
        case ended
    }

    private struct Level {
        let isObject: Bool
        var expectsKey: Bool
        /// Where in the text the key of the member stands that is being read, without its quotes.
        var key = 0..<0
        /// How many elements came before this one.
        var index = 0
    }

    private enum Mode {
        case structure
        case key(start: Int)
        case string
        /// A string that is taken out if it gets long.
        case data(start: Int)
        case taken
    }

    /// What is left of the body.
    private(set) var text: [UInt8] = []

    /// Strings of at most this many bytes stay where they are.
    private let threshold: Int

    private var mode = Mode.structure
    private var levels: [Level] = []
    private var depth = 0
    /// An escape that has begun and is not whole.
    private var escape: [UInt8] = []

    /// `{docs: [{_attachments: {NAME: {data`
    private static let path: [(isObject: Bool, key: [UInt8]?)] = [
        (true, Array("docs".utf8)), (false, nil), (true, Array("_attachments".utf8)), (true, nil), (true, Array("data".utf8)),
    ]

    /// What says something outside of strings, and what ends the plain text of one.
    private static let structural = ByteSet(#"{}[],:""#)
    private static let endOfText = ByteSet(#""\"#)

    init(threshold: Int) {
        self.threshold = threshold
    }

    /// Takes the next bytes of the body.
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
                takeStructure(byte)
            } else if !escape.isEmpty {
                rest.removeFirst()
                takeEscape(byte, &events)
            } else {
                let end = rest.firstIndex(in: Self.endOfText)
                take(rest[..<end], &events)
                rest = rest[end...]
                guard let byte = rest.popFirst() else { break }
                if byte == UInt8(ascii: "\\") { escape = [byte] } else { endString(&events) }
            }
        }
        return events
    }

    private mutating func takeStructure(_ byte: UInt8) {
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

    /// Whether a value that begins now is the data of an attachment.
    private var isAtData: Bool {
        guard depth == Self.path.count, levels.count == depth else { return false }
        return zip(levels, Self.path).allSatisfy { level, wanted in
            level.isObject == wanted.isObject && (wanted.key.map { text[level.key].elementsEqual($0) } ?? true)
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ events: inout [Event]) {
        guard !bytes.isEmpty else { return }
        if case .taken = mode { return events.append(.data(Array(bytes))) }
        text.append(contentsOf: bytes)
        if case .data(let start) = mode, text.count - start > threshold { takeOut(from: start, &events) }
    }

    /// An escape is taken when it is whole. One in base64 stands for one of its characters: many writers escape the slash.
    private mutating func takeEscape(_ byte: UInt8, _ events: inout [Event]) {
        escape.append(byte)
        guard escape[1] != UInt8(ascii: "u") || escape.count == 6 else { return }
        let whole = escape
        escape = []
        if case .taken = mode { take(Self.unescaped(whole)[...], &events) } else { take(whole[...], &events) }
    }

    private mutating func endString(_ events: inout [Event]) {
        switch mode {
        case .taken: events.append(.ended)
        case .key(let start):
            if let last = levels.indices.last { levels[last].key = start..<text.count }
            text.append(UInt8(ascii: "\""))
        default: text.append(UInt8(ascii: "\""))
        }
        mode = .structure
    }

    /// Begins an attachment with what has come of its data, unless its name is none.
    private mutating func takeOut(from start: Int, _ events: inout [Event]) {
        guard let name = try? JSONReader.read([0x22] + text[levels[3].key] + [0x22], { try $0.string() }) else {
            mode = .string
            return
        }
        events.append(.began(document: levels[1].index, name: name))
        events.append(.data(Self.unescaped(Array(text[start...]))))
        text.removeSubrange((levels[4].key.lowerBound - 1)...)
        text.append(contentsOf: "\"follows\":true".utf8)
        mode = .taken
    }

    /// The characters of a string's text; as it is where it is none, so that it is no base64 either.
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "\\")) else { return text }
        return (try? JSONReader.read([0x22] + text + [0x22], { Array(try $0.string().utf8) })) ?? text
    }
}

/// Some of the bytes that there are, to search for.
private struct ByteSet {
    private var members = [Bool](repeating: false, count: 256)

    init(_ text: String) {
        for byte in text.utf8 { members[Int(byte)] = true }
    }

    fileprivate func withMembers<Value>(_ body: (UnsafeBufferPointer<Bool>) -> Value) -> Value { members.withUnsafeBufferPointer(body) }
}

extension ArraySlice<UInt8> {
    /// Where the first byte of a set stands; the end if there is none. Bodies are long, so it goes over the memory itself.
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
