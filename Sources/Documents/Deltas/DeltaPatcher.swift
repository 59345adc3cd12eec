/// Applies a delta to an old text while reading that text, and writes the new text.
struct DeltaPatcher {
    private(set) var bytes: [UInt8] = []

    mutating func apply(_ delta: DeltaNode, to old: inout JSONReader) throws {
        switch delta {
        case .scalar(let raw): bytes.append(contentsOf: raw)
        case .array(let array): try replace(&old, by: array)
        case .object(let members) where members.isEmpty: bytes.append(contentsOf: try old.raw())
        case .object(let members):
            switch old.kind {
            case .object: try patchObject(&old, by: members)
            case .array: try patchArray(&old, by: members)
            default: throw JSONDelta.bad("changes members of a value that is neither an object nor an array")
            }
        }
    }

    private mutating func replace(_ old: inout JSONReader, by array: DeltaArray) throws {
        if let replacement = array.replacement {
            bytes.append(contentsOf: replacement)
        } else if array.isTextPatch {
            guard old.kind == .string else { throw JSONDelta.bad("patches a value that is not a string") }
            let patch = try JSONReader.read(array.items[0]) { try $0.string() }
            let text = try TextPatch.apply(Array(patch.utf8), to: Array(try old.string().utf8))
            text.withUnsafeBufferPointer { JSONWriter.append(utf8: $0, to: &bytes) }
        } else {
            throw JSONDelta.bad(array.isDeletion ? "removes a value that cannot be removed" : "has an array of an unknown form")
        }
    }

    /// Writes a value that the old text does not have.
    private mutating func insert(_ delta: DeltaNode) throws {
        switch delta {
        case .scalar(let raw): bytes.append(contentsOf: raw)
        case .array(let array):
            guard array.count == 1 else { throw JSONDelta.bad("changes a value that does not exist") }
            bytes.append(contentsOf: array.items[0])
        case .object: throw JSONDelta.bad("changes an object that does not exist")
        }
    }

    private mutating func patchObject(_ old: inout JSONReader, by delta: DeltaMembers) throws {
        bytes.append(0x7b)
        var isFirst = true
        var isUsed = Array(repeating: false, count: delta.members.count)
        try old.object { key, value in
            let raw = value.bytes(key.offset..<key.offset + key.raw.count + 2)
            guard let place = delta.place(of: key.text) else {
                separate(&isFirst)
                write(key: raw)
                return bytes.append(contentsOf: try value.raw())
            }
            isUsed[place] = true
            let node = delta.members[place].node
            guard !node.isDeletion else { return }
            separate(&isFirst)
            write(key: raw)
            try apply(node, to: &value)
        }
        for (member, isUsed) in zip(delta.members, isUsed) where !isUsed {
            separate(&isFirst)
            write(key: member.key)
            try insert(member.node)
        }
        bytes.append(0x7d)
    }

    private mutating func patchArray(_ old: inout JSONReader, by delta: DeltaMembers) throws {
        var changes = try ArrayChanges(delta)
        bytes.append(0x5b)
        var isFirst = true
        var count = 0
        try old.array { element in
            defer { count += 1 }
            if let tail = changes.tail, count >= tail.start { return }
            separate(&isFirst)
            if let node = changes.elements.removeValue(forKey: count) {
                try apply(node, to: &element)
            } else {
                bytes.append(contentsOf: try element.raw())
            }
        }
        guard changes.elements.isEmpty, changes.tail.map({ $0.start <= count }) ?? true else {
            throw JSONDelta.bad("changes array elements that do not exist")
        }
        if let tail = changes.tail, tail.list.count > 0 {
            separate(&isFirst)
            bytes.append(contentsOf: tail.list.elements)
        }
        bytes.append(0x5d)
    }

    private mutating func separate(_ isFirst: inout Bool) {
        if !isFirst { bytes.append(0x2c) }
        isFirst = false
    }

    private mutating func write(key: ArraySlice<UInt8>) {
        bytes.append(contentsOf: key)
        bytes.append(0x3a)
    }
}

/// The members of a delta for an array: changes of elements, and at most one list that replaces the last elements.
struct ArrayChanges {
    private(set) var tail: (start: Int, list: DeltaArray)?
    var elements: [Int: DeltaNode] = [:]

    init(_ delta: DeltaMembers) throws(DocumentError) {
        for member in delta.members {
            guard member.name.last == UInt8(ascii: "-") else {
                elements[try Self.index(member.name[...])] = member.node
                continue
            }
            guard tail == nil, case .array(let list) = member.node else {
                throw JSONDelta.bad("has more than one tail for an array, or a tail that is not a list")
            }
            tail = (try Self.index(member.name.dropLast()), list)
        }
    }

    /// Parses an index: 1 to 9 digits without leading zeros.
    private static func index(_ digits: ArraySlice<UInt8>) throws(DocumentError) -> Int {
        guard 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }), digits.count == 1 || digits.first != 0x30 else {
            throw JSONDelta.bad("has a key that is not an index for an array")
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
