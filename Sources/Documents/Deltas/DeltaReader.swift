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
            guard entries <= JSONDelta.maximumEntries else { throw JSONDelta.bad("has more than \(JSONDelta.maximumEntries) values") }
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

/// A delta for one value, parsed but not interpreted: the meaning of an array depends on the value that the delta applies to.
enum DeltaNode {
    case scalar(ArraySlice<UInt8>)
    case array(DeltaArray)
    case object(DeltaMembers)

    /// Whether the delta removes a member.
    var isDeletion: Bool {
        if case .array(let array) = self { array.isDeletion } else { false }
    }
}

/// An array of a delta.
struct DeltaArray {
    /// The text, brackets included.
    let raw: ArraySlice<UInt8>

    /// The first three elements.
    let items: [ArraySlice<UInt8>]
    let count: Int

    var isDeletion: Bool { count == 0 || (count == 3 && items[2].elementsEqual("0".utf8)) }

    /// Whether the array is a text patch.
    var isTextPatch: Bool { count == 3 && items[2].elementsEqual("2".utf8) }

    /// The value that replaces the old one; nil unless the array has one or two elements.
    var replacement: ArraySlice<UInt8>? { count == 1 ? items[0] : count == 2 ? items[1] : nil }

    /// All elements with the commas between them.
    var elements: ArraySlice<UInt8> { raw.dropFirst().dropLast() }
}

/// The members of an object of a delta.
struct DeltaMembers {
    struct Member {
        /// The key without its quotes, escapes replaced.
        let name: [UInt8]
        /// The key as written, with its quotes.
        let key: ArraySlice<UInt8>
        let node: DeltaNode
    }

    private(set) var members: [Member] = []
    private var places: [[UInt8]: Int] = [:]

    var isEmpty: Bool { members.isEmpty }

    mutating func append(_ member: Member) {
        places[member.name] = members.count
        members.append(member)
    }

    /// The index of the member with this name.
    func place(of name: [UInt8]) -> Int? { places[name] }
}

extension JSONKey {
    /// The key's bytes with its escapes replaced. Lone surrogates become bytes that are not UTF-8.
    var text: [UInt8] { isEscaped ? JSONText.unescaped(raw).bytes : Array(raw) }
}
