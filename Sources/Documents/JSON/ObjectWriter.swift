/// Appends an object member by member, and puts braces and commas where they belong.
struct ObjectWriter {
    private var isEmpty = true

    mutating func key(_ key: StaticString, _ bytes: inout [UInt8]) {
        next(&bytes)
        bytes.append(0x22)
        JSONWriter.append(raw: key, to: &bytes)
        JSONWriter.append(raw: "\":", to: &bytes)
    }

    mutating func key(_ key: String, _ bytes: inout [UInt8]) {
        next(&bytes)
        JSONWriter.append(key: key, to: &bytes)
    }

    mutating func string(_ key: StaticString, _ text: String, _ bytes: inout [UInt8]) {
        self.key(key, &bytes)
        JSONWriter.append(text, to: &bytes)
    }

    mutating func number(_ key: StaticString, _ number: Int, _ bytes: inout [UInt8]) {
        self.key(key, &bytes)
        JSONWriter.append(number, to: &bytes)
    }

    mutating func flag(_ key: StaticString, _ bytes: inout [UInt8]) {
        self.key(key, &bytes)
        JSONWriter.append(true, to: &bytes)
    }

    /// Members that are at hand, commas between them.
    mutating func members(_ members: some Collection<UInt8>, _ bytes: inout [UInt8]) {
        next(&bytes)
        bytes.append(contentsOf: members)
    }

    func close(_ bytes: inout [UInt8]) {
        if isEmpty { bytes.append(0x7b) }
        bytes.append(0x7d)
    }

    private mutating func next(_ bytes: inout [UInt8]) {
        bytes.append(isEmpty ? 0x7b : 0x2c)
        isEmpty = false
    }
}
