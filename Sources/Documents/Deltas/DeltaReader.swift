/// Reads a delta, within the limits of ``JSONDelta``.
struct DeltaReader {
    private var entries = 0

    mutating func node(_ reader: inout JSONReader, depth: Int) throws -> DeltaNode {
        switch reader.kind {
        case .object: .object(try members(&reader, depth: depth))
        case .array: .array(try array(&reader))
        default: .scalar(try reader.raw())
        }
    }

    private mutating func members(_ reader: inout JSONReader, depth: Int) throws -> DeltaMembers {
        guard depth < JSONDelta.maximumDepth else { throw JSONDelta.bad("is nested more than \(JSONDelta.maximumDepth) deep") }
        var members = DeltaMembers()
        try reader.object { key, value in
            entries += 1
            guard entries <= JSONDelta.maximumEntries else { throw JSONDelta.bad("names more than \(JSONDelta.maximumEntries) values") }
            let raw = value.bytes(key.offset..<key.offset + key.raw.count + 2)
            members.append(DeltaMembers.Member(name: key.text, key: raw, node: try node(&value, depth: depth + 1)))
        }
        return members
    }

    private func array(_ reader: inout JSONReader) throws -> DeltaArray {
        let start = reader.offset
        var items: [ArraySlice<UInt8>] = []
        var count = 0
        try reader.array { item in
            if count < 3 { items.append(try item.raw()) }
            count += 1
        }
        return DeltaArray(raw: reader.bytes(start..<reader.offset), items: items, count: count)
    }
}

extension JSONKey {
    /// The key's bytes with its escapes replaced. Lone surrogates come out as bytes that are not UTF-8.
    var text: [UInt8] { isEscaped ? JSONText.unescaped(raw).bytes : Array(raw) }
}
