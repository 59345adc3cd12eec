/// Reads an outcome of the harness (``Harness``), in place.
struct OutcomeReader {
    /// One field of a sync function's outcome.
    struct Field {
        let letter: Unicode.Scalar
        let text: String
    }

    private let units: UnsafeBufferPointer<UInt16>
    private var position = 0

    /// The units must outlive the reader.
    init(_ units: UnsafeBufferPointer<UInt16>) {
        self.units = units
    }

    /// The next unit as a letter, NUL at the end.
    mutating func letter() -> Unicode.Scalar {
        guard position < units.count else { return "\0" }
        defer { position += 1 }
        return Unicode.Scalar(units[position]) ?? "\0"
    }

    /// All that is left.
    mutating func rest() -> String {
        text(units.count - position)
    }

    /// A number in decimal digits, and the `:` after it.
    mutating func number() throws(OutcomeError) -> Int {
        var number = 0
        while position < units.count {
            let unit = units[position]
            position += 1
            if unit == 0x3A { return number }
            guard (0x30...0x39).contains(unit), number < 1 << 40 else { break }
            number = number * 10 + Int(unit - 0x30)
        }
        throw .unknown
    }

    /// The next field; nil at the end.
    mutating func field() throws(OutcomeError) -> Field? {
        guard position < units.count else { return nil }
        let letter = letter()
        let count = try number()
        guard count <= units.count - position else { throw .unknown }
        return Field(letter: letter, text: text(count))
    }

    /// The outcome of a predicate.
    mutating func truth() throws(OutcomeError) -> Bool {
        switch letter() {
        case "1": return true
        case "0": return false
        default: throw .unknown
        }
    }

    /// The next units as text; halves of surrogate pairs are replaced. Most text is ASCII, which needs no transcoding.
    private mutating func text(_ count: Int) -> String {
        let part = UnsafeBufferPointer(rebasing: units[position..<position + count])
        position += count
        guard part.allSatisfy({ $0 < 0x80 }) else { return String(decoding: part, as: UTF16.self) }
        return String(unsafeUninitializedCapacity: count) { buffer in
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: part[index]) }
            return count
        }
    }
}
