import Documents

extension RevisionID {
    /// The ID that LiteCore keeps as these bytes: the generation as a varint, and the digest (RevID.cc). `nil` if they are none, as those of a
    /// version vector, which begin with a zero.
    init?(packed bytes: ArraySlice<UInt8>) {
        var generation = 0
        var shift = 0
        var rest = bytes
        while let next = rest.popFirst() {
            guard shift < 49 else { return nil }
            generation |= Int(next & 0x7f) << shift
            shift += 7
            if next < 0x80 { break }
        }
        guard generation > 0, !rest.isEmpty else { return nil }
        var text = Array("\(generation)-".utf8)
        for byte in rest {
            for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? digit + 0x30 : digit + 0x57) }
        }
        self.init(utf8: text)
    }
}
