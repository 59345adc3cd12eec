/// Looks into a document's body without building a tree.
public enum DocumentBody {
    /// The body of a document without members.
    public static let empty = Array("{}".utf8)

    /// What stands between the body's braces, without the whitespace at either end.
    public static func members(of body: [UInt8]) -> ArraySlice<UInt8> {
        guard let open = body.firstIndex(of: 0x7b), let close = body.lastIndex(of: 0x7d), open < close else { return [] }
        let inner = body[(open + 1)..<close]
        guard let first = inner.firstIndex(where: { !isWhitespace($0) }), let last = inner.lastIndex(where: { !isWhitespace($0) }) else {
            return []
        }
        return inner[first...last]
    }

    /// The body in which of each member that comes more than once the last is left, which is the one that counts in Sync Gateway and in JavaScript.
    static func keepingLast(of body: [UInt8]) throws -> [UInt8] {
        var places: [[UInt8]: Int] = [:]
        var members: [ArraySlice<UInt8>?] = []
        try JSONReader.read(body) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                let range = key.offset..<(try value.skip().upperBound)
                if let earlier = places.updateValue(members.count, forKey: JSONText.unescaped(key.raw).bytes) { members[earlier] = nil }
                members.append(body[range])
            }
        }
        return [0x7b] + Array(members.compactMap { $0 }.joined(separator: [0x2c])) + [0x7d]
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// The value of a top-level property, if the body has it and it is a string, a number, a truth value or null. Arrays and objects
    /// count as absent.
    ///
    /// - Parameters:
    ///   - name: The property's key.
    ///   - body: A JSON object that has been checked before.
    public static func property(named name: String, in body: [UInt8]) -> JSONValue? {
        let name = name.utf8
        var found: JSONValue?
        try? JSONReader.read(body) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                guard key.matches(name), value.kind != .object, value.kind != .array else { return }
                found = try JSONValue(reading: &value)
            }
        }
        return found
    }
}

extension ParsedDocument {
    /// The value of a top-level property of the body; see ``DocumentBody/property(named:in:)``.
    public func property(named name: String) -> JSONValue? {
        DocumentBody.property(named: name, in: body)
    }
}
