/// Writes the difference of two values. Each text is read level by level, and only where the bytes differ.
struct DeltaWriter {
    /// The maximum depth at which differences are searched. Each level is read once more than the level above it.
    private static let maximumDepth = 32

    /// The minimum length of a text that is patched rather than replaced, in bytes.
    private static let minimumPatchedText = 60

    private(set) var bytes: [UInt8] = []
    private var entries = 0

    /// Appends the difference.
    ///
    /// - Returns: Whether the values differ. If they do not, nothing is appended.
    mutating func write(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>, depth: Int = 0) throws -> Bool {
        guard old != new else { return false }
        let kind = new.first.flatMap { JSONKind(firstByte: $0) }
        let start = bytes.count
        var isPatched: Bool?
        if kind == old.first.flatMap({ JSONKind(firstByte: $0) }), depth < Self.maximumDepth {
            switch kind {
            case .object: isPatched = try writeMembers(from: old, to: new, depth: depth)
            case .array: isPatched = try writeElements(from: old, to: new, depth: depth)
            case .string: isPatched = try writeText(from: old, to: new)
            default: break
            }
        }
        if isPatched == false { return false }
        // The delta of a document must be an object, whatever its size: the sender compares its size with the document's.
        if isPatched == nil || (depth > 0 && bytes.count - start >= new.count + 2) {
            bytes.removeSubrange(start...)
            replace(by: new, kind, isRoot: depth == 0)
        }
        return true
    }

    private mutating func replace(by new: ArraySlice<UInt8>, _ kind: JSONKind?, isRoot: Bool) {
        // A reader would interpret a bare array or object as a delta.
        let isWrapped = isRoot || kind == .array || kind == .object
        if isWrapped { bytes.append(0x5b) }
        bytes.append(contentsOf: new)
        if isWrapped { bytes.append(0x5d) }
    }

    // Patches: each method returns whether the values differ, and nil if a patch cannot express the difference.

    private mutating func writeMembers(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>, depth: Int) throws -> Bool? {
        guard let oldMembers = try MemberList(old), let newMembers = try MemberList(new) else { return nil }
        let start = bytes.count
        for member in newMembers.members {
            let mark = try open(member.key, from: start)
            if let before = oldMembers[member.name] {
                if try !write(from: before, to: member.value, depth: depth + 1) { close(mark) }
            } else {
                replace(by: member.value, member.value.first.flatMap { JSONKind(firstByte: $0) }, isRoot: false)
            }
        }
        for member in oldMembers.members where newMembers[member.name] == nil {
            _ = try open(member.key, from: start)
            JSONWriter.append(raw: "[]", to: &bytes)
        }
        return finish(start)
    }

    private mutating func writeElements(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>, depth: Int) throws -> Bool? {
        let oldElements = try Self.elements(old), newElements = try Self.elements(new)
        if oldElements.isEmpty, newElements.isEmpty { return false }
        let common = min(oldElements.count, newElements.count)
        guard common > 0 else { return nil }
        let start = bytes.count
        for index in 0..<common where oldElements[index] != newElements[index] {
            let mark = try open(Array("\"\(index)\"".utf8)[...], from: start)
            if try !write(from: oldElements[index], to: newElements[index], depth: depth + 1) { close(mark) }
        }
        if oldElements.count != newElements.count {
            _ = try open(Array("\"\(common)-\"".utf8)[...], from: start)
            bytes.append(0x5b)
            for (index, element) in newElements[common...].enumerated() {
                if index > 0 { bytes.append(0x2c) }
                bytes.append(contentsOf: element)
            }
            bytes.append(0x5d)
        }
        return finish(start)
    }

    private mutating func writeText(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>) throws -> Bool? {
        // A string with a lone surrogate is not valid text and can only be replaced.
        guard let oldText = Self.text(old), let newText = Self.text(new) else { return nil }
        if oldText == newText { return false }
        guard newText.count >= Self.minimumPatchedText, let patch = TextPatch.create(from: oldText, to: newText) else { return nil }
        bytes.append(0x5b)
        patch.withUnsafeBufferPointer { JSONWriter.append(utf8: $0, to: &bytes) }
        JSONWriter.append(raw: ",0,2]", to: &bytes)
        return true
    }

    /// Begins a member; the first member of a patch also gets the opening brace.
    ///
    /// - Returns: The offset to truncate to if the member turns out to be unchanged.
    private mutating func open(_ key: ArraySlice<UInt8>, from start: Int) throws -> Int {
        entries += 1
        guard entries <= JSONDelta.maximumEntries else { throw DocumentError(.tooLarge, "The texts differ in too many places") }
        let mark = bytes.count
        bytes.append(mark == start ? 0x7b : 0x2c)
        bytes.append(contentsOf: key)
        bytes.append(0x3a)
        return mark
    }

    private mutating func close(_ mark: Int) {
        entries -= 1
        bytes.removeSubrange(mark...)
    }

    private mutating func finish(_ start: Int) -> Bool {
        guard bytes.count > start else { return false }
        bytes.append(0x7d)
        return true
    }

    private static func elements(_ json: ArraySlice<UInt8>) throws -> [ArraySlice<UInt8>] {
        try JSONReader.read(json) { reader in
            var elements: [ArraySlice<UInt8>] = []
            try reader.array { elements.append(try $0.raw()) }
            return elements
        }
    }

    private static func text(_ json: ArraySlice<UInt8>) -> [UInt8]? {
        (try? JSONReader.read(json) { try $0.string() }).map { Array($0.utf8) }
    }
}

/// The members of one object, as slices of the text.
struct MemberList {
    struct Member {
        /// The key without its quotes, escapes replaced.
        let name: [UInt8]
        /// The key as written, with its quotes.
        let key: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>
    }

    private(set) var members: [Member] = []
    private var places: [[UInt8]: Int] = [:]

    /// `nil` if a key occurs twice, because implementations differ on which of the two applies.
    init?(_ object: ArraySlice<UInt8>) throws {
        var isUnique = true
        var members: [Member] = []
        var places: [[UInt8]: Int] = [:]
        try JSONReader.read(object) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                let name = key.text
                let raw = value.bytes(key.offset..<key.offset + key.raw.count + 2)
                if places.updateValue(members.count, forKey: name) != nil { isUnique = false }
                members.append(Member(name: name, key: raw, value: try value.raw()))
            }
        }
        guard isUnique else { return nil }
        self.members = members
        self.places = places
    }

    subscript(name: [UInt8]) -> ArraySlice<UInt8>? { places[name].map { members[$0].value } }
}
