/// Reads parts of a document's body without building a tree.
package enum DocumentBody {
    /// The body of a document without members.
    package static let empty = Array("{}".utf8)

    /// The text between the body's braces, without leading and trailing whitespace.
    package static func members(of body: [UInt8]) -> ArraySlice<UInt8> {
        guard let open = body.firstIndex(of: 0x7b), let close = body.lastIndex(of: 0x7d), open < close else { return [] }
        let inner = body[(open + 1)..<close]
        guard let first = inner.firstIndex(where: { !isWhitespace($0) }), let last = inner.lastIndex(where: { !isWhitespace($0) }) else {
            return []
        }
        return inner[first...last]
    }

    /// The body with only the last of each group of duplicate members: Sync Gateway and JavaScript use the last.
    static func removingDuplicates(of body: [UInt8]) throws -> [UInt8] {
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

    /// The value of a top-level property that is a string, a number, a Boolean or null; otherwise nil.
    ///
    /// - Parameters:
    ///   - name: The property's key.
    ///   - body: A JSON object that has been validated before.
    package static func property(named name: String, in body: [UInt8]) -> JSONValue? {
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
    package func property(named name: String) -> JSONValue? {
        DocumentBody.property(named: name, in: body)
    }
}
