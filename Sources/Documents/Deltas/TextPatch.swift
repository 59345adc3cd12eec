/// The difference of two texts: operations over the bytes of the old one in their order, which have to use it up
/// (docs/protocol/modern-2x.md#text-patches).
///
/// `4=` copies four bytes, `1-` leaves one out, `3+abc|` inserts three. They never part the bytes of a character.
enum TextPatch {
    /// The new text.
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
                guard count <= old.count - place else { throw JSONDelta.bad("copies more of a text than there is") }
                new.append(contentsOf: old[place..<place + count])
                place += count
            case UInt8(ascii: "-"):
                guard count <= old.count - place else { throw JSONDelta.bad("leaves out more of a text than there is") }
                place += count
            case UInt8(ascii: "+"):
                guard count < patch.count - next, patch[next + count] == UInt8(ascii: "|") else {
                    throw JSONDelta.bad("inserts a text that does not end where it should")
                }
                new.append(contentsOf: patch[next..<next + count])
                next += count + 1
            default: throw JSONDelta.bad("patches a text in an unknown way")
            }
        }
        guard place == old.count else { throw JSONDelta.bad("says nothing of the end of a text") }
        guard String(validating: new, as: UTF8.self) != nil else { throw JSONDelta.bad("parts the bytes of a character") }
        return new
    }

    private static func operation(_ patch: [UInt8], _ next: inout Int) throws(DocumentError) -> (count: Int, operation: UInt8) {
        let start = next
        var count = 0
        while next < patch.endIndex, 0x30...0x39 ~= patch[next], next - start < 10 {
            count = count * 10 + Int(patch[next] - 0x30)
            next += 1
        }
        guard next > start, next < patch.endIndex else { throw JSONDelta.bad("patches a text by something else than a number") }
        defer { next += 1 }
        return (count, patch[next])
    }
}
