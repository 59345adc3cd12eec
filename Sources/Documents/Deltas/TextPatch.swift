/// The difference of two texts: operations that consume all bytes of the old text in order
/// (docs/protocol/modern-2x.md#text-patches).
///
/// `4=` copies four bytes, `1-` skips one, `3+abc|` inserts three. No operation splits a multibyte character.
enum TextPatch {
    /// Applies a patch, and returns the new text.
    ///
    /// - Throws: ``DocumentError`` `badDelta`.
    static func apply(_ patch: [UInt8], to old: [UInt8]) throws(DocumentError) -> [UInt8] {
        var new: [UInt8] = []
        new.reserveCapacity(old.count)
        var place = 0
        var next = patch.startIndex
        while next < patch.endIndex {
            let (count, operation) = try operation(patch, &next)
            switch operation {
            case UInt8(ascii: "="):
                guard count <= old.count - place else { throw JSONDelta.bad("copies more text than the base has") }
                new.append(contentsOf: old[place..<place + count])
                place += count
            case UInt8(ascii: "-"):
                guard count <= old.count - place else { throw JSONDelta.bad("deletes more text than the base has") }
                place += count
            case UInt8(ascii: "+"):
                guard count < patch.count - next, patch[next + count] == UInt8(ascii: "|") else {
                    throw JSONDelta.bad("inserts text whose length is wrong")
                }
                new.append(contentsOf: patch[next..<next + count])
                next += count + 1
            default: throw JSONDelta.bad("has an unknown text operation")
            }
        }
        guard place == old.count else { throw JSONDelta.bad("does not cover the end of a text") }
        guard String(validating: new, as: UTF8.self) != nil else { throw JSONDelta.bad("splits the bytes of a character") }
        return new
    }

    private static func operation(_ patch: [UInt8], _ next: inout Int) throws(DocumentError) -> (count: Int, operation: UInt8) {
        let start = next
        var count = 0
        while next < patch.endIndex, 0x30...0x39 ~= patch[next], next - start < 10 {
            count = count * 10 + Int(patch[next] - 0x30)
            next += 1
        }
        guard next > start, next < patch.endIndex else { throw JSONDelta.bad("has a text operation without a number") }
        defer { next += 1 }
        return (count, patch[next])
    }
}

extension TextPatch {
    /// The maximum length of a text that is compared, in bytes.
    private static let maximumSize = 1 << 20

    /// The difference; nil unless it is shorter than the new text.
    ///
    /// The common prefix and suffix stay. In between, common stretches are searched from left to right.
    static func create(from old: [UInt8], to new: [UInt8]) -> [UInt8]? {
        guard max(old.count, new.count) <= maximumSize else { return nil }
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        prefix = prefix - partialCharacter(new, before: prefix)
        var suffix = 0
        while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] { suffix += 1 }
        while suffix > 0, isContinuation(new[new.count - suffix]) { suffix -= 1 }
        var patch = Operations()
        patch.equal(prefix)
        let stretches = CommonStretches(old: old, prefix..<old.count - suffix, new: new, prefix..<new.count - suffix)
        var (oldPlace, newPlace) = (prefix, prefix)
        for stretch in stretches.found {
            patch.delete(stretch.old - oldPlace)
            patch.insert(new[newPlace..<stretch.new])
            patch.equal(stretch.count)
            (oldPlace, newPlace) = (stretch.old + stretch.count, stretch.new + stretch.count)
        }
        patch.delete(old.count - suffix - oldPlace)
        patch.insert(new[newPlace..<new.count - suffix])
        patch.equal(suffix)
        // The threshold that LiteCore uses.
        return patch.bytes.count + 6 < new.count ? patch.bytes : nil
    }

    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

    /// How many bytes before an offset belong to a character that continues at the offset.
    static func partialCharacter(_ text: [UInt8], before place: Int) -> Int {
        var count = 0
        while place - count > 0, place - count < text.count, isContinuation(text[place - count]) { count += 1 }
        return count
    }

    /// Writes a sequence of operations.
    private struct Operations {
        private(set) var bytes: [UInt8] = []

        mutating func equal(_ count: Int) { append(count, UInt8(ascii: "=")) }
        mutating func delete(_ count: Int) { append(count, UInt8(ascii: "-")) }

        mutating func insert(_ text: ArraySlice<UInt8>) {
            guard !text.isEmpty else { return }
            append(text.count, UInt8(ascii: "+"))
            bytes.append(contentsOf: text)
            bytes.append(UInt8(ascii: "|"))
        }

        private mutating func append(_ count: Int, _ operation: UInt8) {
            guard count > 0 else { return }
            Decimal.append(count, to: &bytes)
            bytes.append(operation)
        }
    }
}
