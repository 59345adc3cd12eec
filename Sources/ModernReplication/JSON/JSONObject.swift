/// Puts members into JSON objects without taking these apart.
enum JSONObject {
    /// The object with other members before its own. Its own bytes stay as they are.
    ///
    /// - Parameters:
    ///   - members: `"key":value` pairs with commas between them.
    ///   - object: A JSON object that has been found well-formed.
    static func adding(_ members: [UInt8], to object: [UInt8]) -> [UInt8] {
        guard let start = object.firstIndex(of: UInt8(ascii: "{")) else { return object }
        var result: [UInt8] = []
        result.reserveCapacity(object.count + members.count + 1)
        result.append(UInt8(ascii: "{"))
        result.append(contentsOf: members)
        let rest = object[(start + 1)...]
        let isEmpty = rest.first { !isWhitespace($0) } == UInt8(ascii: "}")
        if !isEmpty { result.append(UInt8(ascii: ",")) }
        result.append(contentsOf: rest)
        return result
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
