/// Reads an outcome of the harness (``Harness``), in place.
struct OutcomeReader {
    /// One field of a sync function's outcome.
    struct Field {
        let letter: Unicode.Scalar
        let text: String
    }

    private var units: Slice<UnsafeBufferPointer<UInt16>>

    /// The units must outlive the reader.
    init(_ units: UnsafeBufferPointer<UInt16>) {
        self.units = units[...]
    }

    /// The next unit as a letter, NUL at the end.
    mutating func letter() -> Unicode.Scalar {
        units.popFirst().flatMap { Unicode.Scalar($0) } ?? "\0"
    }

    /// All that is left.
    mutating func rest() -> String {
        defer { units = units[units.endIndex...] }
        return String(decoding: units, as: UTF16.self)
    }

    /// A number in decimal digits, and the `:` after it.
    mutating func number() throws(OutcomeError) -> Int {
        var number = 0
        while let unit = units.popFirst() {
            if unit == 0x3A { return number }
            guard (0x30...0x39).contains(unit), number < 1 << 40 else { break }
            number = number * 10 + Int(unit - 0x30)
        }
        throw .unknown
    }

    /// The next field; nil at the end.
    mutating func field() throws(OutcomeError) -> Field? {
        guard !units.isEmpty else { return nil }
        let letter = letter()
        let count = try number()
        guard count <= units.count else { throw .unknown }
        defer { units = units.dropFirst(count) }
        return Field(letter: letter, text: String(decoding: units.prefix(count), as: UTF16.self))
    }

    /// The outcome of a predicate.
    mutating func truth() throws(OutcomeError) -> Bool {
        switch letter() {
        case "1": return true
        case "0": return false
        default: throw .unknown
        }
    }
}
