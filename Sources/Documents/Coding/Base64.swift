/// Base64 in the standard alphabet, with padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each byte as a base64 digit; 255 for bytes that are not digits.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Appends the base64 of the data.
    package static func append(_ data: some Collection<UInt8>, to bytes: inout [UInt8]) {
        let done: Void? = data.withContiguousStorageIfAvailable { append($0, to: &bytes) }
        if done == nil { Array(data).withUnsafeBufferPointer { append($0, to: &bytes) } }
    }

    /// The base64 of the data.
    package static func encode(_ data: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        append(data, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ data: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.makeRoom(for: (data.count + 2) / 3 * 4)
        alphabet.withUnsafeBufferPointer { digits in
            var index = 0
            while index < data.count {
                let left = data.count - index
                let group =
                    UInt32(data[index]) << 16 | (left > 1 ? UInt32(data[index + 1]) << 8 : 0) | (left > 2 ? UInt32(data[index + 2]) : 0)
                bytes.append(digits[Int(group >> 18)])
                bytes.append(digits[Int(group >> 12 & 63)])
                bytes.append(left > 1 ? digits[Int(group >> 6 & 63)] : 0x3d)
                bytes.append(left > 2 ? digits[Int(group & 63)] : 0x3d)
                index += 3
            }
        }
    }

    /// Decodes base64 strictly: no whitespace, complete padding, and no set bits beyond the last byte.
    ///
    /// - Throws: ``DocumentError`` `badBase64`.
    package static func decode(_ text: some Collection<UInt8>) throws(DocumentError) -> [UInt8] {
        let result =
            text.withContiguousStorageIfAvailable { decoded($0) } ?? Array(text).withUnsafeBufferPointer { decoded($0) }
        return try result.get()
    }

    private static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> Result<[UInt8], DocumentError> {
        guard text.count & 3 == 0 else { return .failure(invalid("\(text.count) characters, a multiple of four is expected")) }
        guard let last = text.last else { return .success([]) }
        let padding = last != 0x3d ? 0 : text[text.count - 2] != 0x3d ? 1 : 2
        var data: [UInt8] = []
        data.reserveCapacity(text.count / 4 * 3)
        var wrong: Int?
        values.withUnsafeBufferPointer { values in
            var index = 0
            while index < text.count {
                var group: UInt32 = 0
                let digits = min(4, text.count - padding - index)
                for offset in 0..<4 {
                    let value = offset < digits ? values[Int(text[index + offset])] : 0
                    if value > 63, wrong == nil { wrong = index + offset }
                    group = group << 6 | UInt32(value & 63)
                }
                data.append(UInt8(truncatingIfNeeded: group >> 16))
                if digits > 2 { data.append(UInt8(truncatingIfNeeded: group >> 8)) }
                if digits > 3 { data.append(UInt8(truncatingIfNeeded: group)) }
                let unused: UInt32 = digits == 4 ? 0 : digits == 3 ? 0xff : 0xffff
                if group & unused != 0, wrong == nil { wrong = index + digits - 1 }
                index += 4
            }
        }
        if let wrong { return .failure(invalid("wrong character at place \(wrong)")) }
        return .success(data)
    }

    private static func invalid(_ reason: String) -> DocumentError {
        DocumentError(.badBase64, "malformed base64: \(reason)")
    }
}

/// Decodes base64 that arrives in chunks, as strictly as ``Base64/decode(_:)`` but ignoring line breaks.
package struct Base64Stream: Sendable {
    /// Digits that are not decoded yet: the last group, which may be padded.
    private var pending: [UInt8] = []

    package init() {}

    /// Adds a chunk, and returns the bytes of all complete groups except the last.
    ///
    /// - Throws: ``DocumentError`` `badBase64`.
    package mutating func append(_ text: some Sequence<UInt8>) throws(DocumentError) -> [UInt8] {
        for digit in text where digit != 0x0a && digit != 0x0d { pending.append(digit) }
        let count = max(0, (pending.count - 1) & ~3)
        let whole = pending.prefix(count)
        guard whole.last != UInt8(ascii: "=") else { throw DocumentError(.badBase64, "malformed base64: text behind its padding") }
        defer { pending.removeFirst(count) }
        return try Base64.decode(whole)
    }

    /// Ends the text, and returns the remaining bytes.
    ///
    /// - Throws: ``DocumentError`` `badBase64`.
    package mutating func finish() throws(DocumentError) -> [UInt8] {
        defer { pending = [] }
        return try Base64.decode(pending)
    }
}

extension [UInt8] {
    /// Reserves capacity for more bytes, at least doubling the current capacity.
    ///
    /// `reserveCapacity` alone grows to exactly the requested capacity, which makes appending many chunks quadratic.
    mutating func makeRoom(for more: Int) {
        if capacity - count < more { reserveCapacity(Swift.max(count + more, 2 * capacity)) }
    }
}
