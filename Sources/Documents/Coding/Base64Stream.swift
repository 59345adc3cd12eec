/// Decodes base64 that comes in pieces, as strictly as ``Base64/decode(_:)``. Line breaks are passed over.
public struct Base64Stream: Sendable {
    /// The last digits, which may be the padded ones at the end.
    private var pending: [UInt8] = []

    public init() {}

    /// The bytes of the next piece, as far as they are certain.
    ///
    /// - Throws: ``DocumentError`` `badBase64`.
    public mutating func append(_ text: some Sequence<UInt8>) throws(DocumentError) -> [UInt8] {
        for digit in text where digit != 0x0a && digit != 0x0d { pending.append(digit) }
        let count = max(0, (pending.count - 1) & ~3)
        let whole = pending.prefix(count)
        guard whole.last != UInt8(ascii: "=") else { throw DocumentError(.badBase64, "malformed base64: text behind its padding") }
        defer { pending.removeFirst(count) }
        return try Base64.decode(whole)
    }

    /// The last bytes.
    ///
    /// - Throws: ``DocumentError`` `badBase64`.
    public mutating func finish() throws(DocumentError) -> [UInt8] {
        defer { pending = [] }
        return try Base64.decode(pending)
    }
}
