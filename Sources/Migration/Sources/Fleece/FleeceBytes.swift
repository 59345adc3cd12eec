/// Bounds-checked reader of Fleece primitives (fleece, Internal.hh).
///
/// A value precedes its pointers. Each value is therefore read with an end that it must not cross, which also prevents cycles.
struct FleeceBytes {
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    @inline(__always)
    func byte(_ offset: Int, before end: Int) throws(FleeceError) -> UInt8 {
        guard offset >= 0, offset < end, end <= bytes.count else { throw FleeceError("a value ends too early", at: offset) }
        return bytes[offset]
    }

    func slice(_ offset: Int, count: Int, before end: Int) throws(FleeceError) -> UnsafeBufferPointer<UInt8> {
        guard offset >= 0, count >= 0, end <= bytes.count, offset <= end, count <= end - offset else {
            throw FleeceError("a value ends too early", at: offset)
        }
        return UnsafeBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// A little-endian integer of 1 to 8 bytes.
    func littleEndian(_ offset: Int, count: Int, before end: Int) throws(FleeceError) -> UInt64 {
        var number: UInt64 = 0
        for (index, byte) in try slice(offset, count: count, before: end).enumerated() { number |= UInt64(byte) << UInt64(8 * index) }
        return number
    }

    /// A varint (seven bits per byte, lowest first) and its end.
    func varint(_ offset: Int, before end: Int) throws(FleeceError) -> (value: Int, end: Int) {
        var number = 0
        for index in 0..<5 {
            let next = try byte(offset + index, before: end)
            number |= Int(next & 0x7f) << (7 * index)
            if next < 0x80 { return (number, offset + index + 1) }
        }
        throw FleeceError("a length is too long", at: offset)
    }

    /// The bytes of a string or of binary data.
    func text(_ offset: Int, before end: Int) throws(FleeceError) -> UnsafeBufferPointer<UInt8> {
        let short = Int(try byte(offset, before: end) & 0x0f)
        guard short == 15 else { return try slice(offset + 1, count: short, before: end) }
        let (count, start) = try varint(offset + 1, before: end)
        return try slice(start, count: count, before: end)
    }

    /// An array's or dictionary's items.
    ///
    /// - Parameter perItem: Number of values per item: 1 in an array, 2 in a dictionary.
    func items(_ offset: Int, perItem: Int, before end: Int) throws(FleeceError) -> FleeceItems {
        let head = try byte(offset, before: end)
        var count = Int(head & 0x07) << 8 | Int(try byte(offset + 1, before: end))
        var first = offset + 2
        if count == 0x7ff {
            (count, first) = try varint(first, before: end)
            first += (first - offset) & 1
        }
        let width = head & 0x08 != 0 ? 4 : 2
        _ = try slice(first, count: count * perItem * width, before: end)
        return FleeceItems(first: first, count: count * perItem, width: width)
    }

    /// Position of the value at `offset`, after following pointers, and the end that it must not cross.
    func resolve(_ offset: Int, width: Int, before end: Int) throws(FleeceError) -> (offset: Int, end: Int) {
        var (offset, width, end) = (offset, width, end)
        while try byte(offset, before: end) & 0x80 != 0 {
            var number = 0
            for byte in try slice(offset, count: width, before: end) { number = number << 8 | Int(byte) }
            let isExternal = try byte(offset, before: end) & 0x40 != 0
            let distance = (number & (width == 2 ? 0x3fff : 0x3fff_ffff)) * 2
            guard !isExternal, distance > 0, distance <= offset else {
                throw FleeceError("a pointer leads out of the data", at: offset)
            }
            // A pointer to a pointer is always wide.
            (offset, end, width) = (offset - distance, offset, 4)
        }
        return (offset, end)
    }

    /// Position of the root value and the end that it must not cross. The last two bytes contain the root or a pointer to it.
    func root() throws(FleeceError) -> (offset: Int, end: Int) {
        guard count >= 2, count & 1 == 0 else { throw FleeceError("an even number of bytes is expected, at least two", at: count) }
        let root = try resolve(count - 2, width: 2, before: count)
        guard root.offset != count - 2 || count == 2 else {
            throw FleeceError("the last value does not refer to those before", at: count - 2)
        }
        return root
    }
}

/// Positions of the items of an array or dictionary.
struct FleeceItems {
    /// Position of the first item.
    let first: Int

    /// Number of items; keys and values count separately.
    let count: Int

    /// Bytes per item: 2 or 4.
    let width: Int

    func offset(_ index: Int) -> Int { first + index * width }

    /// End of an item that is not a pointer.
    func end(_ index: Int) -> Int { first + (index + 1) * width }
}

/// Error of malformed Fleece.
struct FleeceError: Error, Hashable, CustomStringConvertible {
    let description: String

    /// Position of the fault in bytes from the start.
    let offset: Int

    init(_ reason: StaticString, at offset: Int) {
        description = "\(reason) at byte \(offset)"
        self.offset = offset
    }
}
