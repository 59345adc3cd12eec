/// The canonical form of JSON for digests: keys in order of their UTF-8 bytes, no whitespace, one spelling of each string.
///
/// Numbers keep their text, as in Sync Gateway. LiteCore reformats numbers, so `1.50` gives another digest there. The only consequence
/// is that two independent writers of the same content do not produce the same revision ID.
package enum CanonicalJSON {
    /// The string escaping rules.
    package enum Style: Hashable, Sendable {
        /// Go's encoding/json, as in Sync Gateway 2.8: `<`, `>`, `&`, U+2028 and U+2029 are escaped; `\n`, `\r`, `\t` are the only short
        /// escapes of control characters; lone surrogates become U+FFFD.
        case syncGateway

        /// Fleece's encoder, as in LiteCore: control characters and U+007F are escaped; `\n`, `\r`, `\t` are the only short escapes.
        case liteCore
    }

    /// The canonical form of a JSON text. The last of several equal keys in one object applies.
    ///
    /// - Throws: ``JSONError``.
    package static func encode(
        _ json: [UInt8],
        style: Style,
        maximumDepth: Int = JSONReader.defaultMaximumDepth,
    ) throws -> [UInt8] {
        var encoder = CanonicalEncoder(style: style)
        try JSONReader.read(json, maximumDepth: maximumDepth) { try encoder.value(&$0) }
        return encoder.bytes
    }

    /// The canonical form of a document's body with an added member `"_deleted": true`.
    static func encodeTombstone(_ body: [UInt8], style: Style) throws -> [UInt8] {
        var encoder = CanonicalEncoder(style: style)
        try JSONReader.read(body) { try encoder.object(&$0, isTombstone: true) }
        return encoder.bytes
    }
}

/// Writes the values of a reader in canonical form.
struct CanonicalEncoder {
    private struct Member {
        let key: [UInt8]
        /// The range of the written key and value.
        let range: Range<Int>
    }

    private(set) var bytes: [UInt8] = []
    private let style: CanonicalJSON.Style

    init(style: CanonicalJSON.Style) {
        self.style = style
    }

    mutating func value(_ reader: inout JSONReader) throws {
        switch reader.kind {
        case .object: try object(&reader, isTombstone: false)
        case .array:
            bytes.append(0x5b)
            var isFirst = true
            try reader.array { element in
                if !isFirst { bytes.append(0x2c) }
                isFirst = false
                try value(&element)
            }
            bytes.append(0x5d)
        case .string:
            let (raw, isEscaped) = try reader.rawString()
            append(isEscaped ? JSONText.unescaped(raw).bytes : Array(raw))
        default:
            bytes.append(contentsOf: try reader.raw())
        }
    }

    mutating func object(_ reader: inout JSONReader, isTombstone: Bool) throws {
        bytes.append(0x7b)
        let start = bytes.count
        var members: [Member] = []
        try reader.object(uniqueKeys: false) { key, member in
            let key = JSONText.unescaped(key.raw).bytes
            try append(key, to: &members) { try $0.value(&member) }
        }
        if isTombstone {
            try append(Array("_deleted".utf8), to: &members) { JSONWriter.append(true, to: &$0.bytes) }
        }
        sort(members, from: start)
        bytes.append(0x7d)
    }

    private mutating func append(_ key: [UInt8], to members: inout [Member], value: (inout CanonicalEncoder) throws -> Void) throws {
        if !members.isEmpty { bytes.append(0x2c) }
        let start = bytes.count
        append(key)
        bytes.append(0x3a)
        try value(&self)
        members.append(Member(key: key, range: start..<bytes.count))
    }

    /// Sorts the written members of an object.
    private mutating func sort(_ members: [Member], from start: Int) {
        let isSorted = zip(members, members.dropFirst()).allSatisfy { $0.key.lexicographicallyPrecedes($1.key) }
        guard !isSorted else { return }
        let order = members.indices.sorted { left, right in
            let (leftKey, rightKey) = (members[left].key, members[right].key)
            return leftKey == rightKey ? left < right : leftKey.lexicographicallyPrecedes(rightKey)
        }
        var sorted: [UInt8] = []
        for (place, index) in order.enumerated() {
            if place + 1 < order.count, members[order[place + 1]].key == members[index].key { continue }
            if !sorted.isEmpty { sorted.append(0x2c) }
            sorted.append(contentsOf: bytes[members[index].range])
        }
        bytes.replaceSubrange(start..., with: sorted)
    }

    /// Appends a string from its unescaped bytes. Byte sequences that are not UTF-8 are lone surrogates.
    private mutating func append(_ text: [UInt8]) {
        bytes.append(0x22)
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case 0x22, 0x5c, 0x0a, 0x0d, 0x09: JSONWriter.appendEscape(of: byte, to: &bytes)
            case 0..<0x20: appendLongEscape(of: byte)
            case 0x7f where style == .liteCore: appendLongEscape(of: byte)
            case 0x3c, 0x3e, 0x26: if style == .syncGateway { appendLongEscape(of: byte) } else { bytes.append(byte) }
            case 0xe2, 0xed: index += appendThreeBytes(text[index..<index + 3])
            default: bytes.append(byte)
            }
            index += 1
        }
        bytes.append(0x22)
    }

    private mutating func appendLongEscape(of byte: UInt8) {
        JSONWriter.append(raw: "\\u00", to: &bytes)
        Hex.append(byte, to: &bytes)
    }

    /// Appends a three-byte character, and returns the number of bytes after the first.
    ///
    /// Go escapes two separators of this length, and replaces surrogates.
    private mutating func appendThreeBytes(_ character: ArraySlice<UInt8>) -> Int {
        switch (style, Array(character)) {
        case (.syncGateway, [0xe2, 0x80, 0xa8]): JSONWriter.append(raw: "\\u2028", to: &bytes)
        case (.syncGateway, [0xe2, 0x80, 0xa9]): JSONWriter.append(raw: "\\u2029", to: &bytes)
        case (.syncGateway, let three) where three[0] == 0xed && three[1] >= 0xa0: bytes.append(contentsOf: [0xef, 0xbf, 0xbd])
        case (_, let three): bytes.append(contentsOf: three)
        }
        return 2
    }
}
