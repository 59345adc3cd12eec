import Documents
import TestSupport

/// Makes JSON values that differ a little or much, from a seed.
struct RandomJSON {
    var generator: SeededGenerator

    private static let keys = ["a", "b", "name", "", "é", "\u{1F600}", "0", "3-", "q\"uote", "_attachments", "line\nbreak"]
    private static let numbers = ["0", "-0", "1", "1.0", "1e400", "12345678901234567890", "-2.5E-3"]
    private static let words = ["fog", "comes", "in", "on", "little", "cat", "feet", "🐈", "Zoë", "=4-", "9+x|", "\"", "\\", "\t"]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A document: an object.
    mutating func document() -> JSONValue { .object(members(depth: 0)) }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 9 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(generator.once(in: 2))
        case 2, 3: .number(pick(Self.numbers))
        case 4, 5: .string(text(words: generator.once(in: 3) ? 60 : 3))
        case 6: .array((0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(depth: depth + 1) })
        default: .object(members(depth: depth + 1))
        }
    }

    /// A similar value.
    mutating func changed(_ value: JSONValue, depth: Int = 0) -> JSONValue {
        guard !generator.once(in: depth == 0 ? 1_000 : 12) else { return self.value(depth: depth) }
        switch value {
        case .object(var members):
            for index in members.indices where generator.once(in: 3) {
                members[index] = JSONMember(members[index].key, changed(members[index].value, depth: depth + 1))
            }
            if generator.once(in: 3), !members.isEmpty { members.remove(at: Int.random(in: 0..<members.count, using: &generator)) }
            if generator.once(in: 3) {
                members.insert(JSONMember("new\(Int.random(in: 0..<9, using: &generator))", self.value(depth: depth + 1)), at: 0)
            }
            if generator.once(in: 4) { members.shuffle(using: &generator) }
            return .object(unique(members))
        case .array(var elements):
            for index in elements.indices where generator.once(in: 3) { elements[index] = changed(elements[index], depth: depth + 1) }
            if generator.once(in: 3) { elements.append(self.value(depth: depth + 1)) }
            if generator.once(in: 4) { elements = Array(elements.prefix(Int.random(in: 0...elements.count, using: &generator))) }
            return .array(elements)
        case .string(let text):
            var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...words.count, using: &generator)
                if generator.once(in: 2), place < words.count { words.remove(at: place) } else { words.insert(pick(Self.words), at: place) }
            }
            return .string(words.joined(separator: " "))
        case .null, .bool, .number: return generator.once(in: 3) ? .number(pick(Self.numbers)) : value
        }
    }

    private mutating func members(depth: Int) -> [JSONMember] {
        var members: [JSONMember] = []
        for _ in 0..<Int.random(in: 0..<6, using: &generator) { members.append(JSONMember(pick(Self.keys), value(depth: depth))) }
        return unique(members)
    }

    private func unique(_ members: [JSONMember]) -> [JSONMember] {
        var seen: Set<String> = []
        return members.filter { seen.insert($0.key).inserted }
    }

    mutating func text(words: Int) -> String {
        (0..<Int.random(in: 0...words, using: &generator)).map { _ in pick(Self.words) }.joined(separator: " ")
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
}

extension JSONValue {
    /// The value's text, with unnecessary whitespace and escapes at random.
    func spelled(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        spell(&bytes, &generator)
        return bytes
    }

    private func spell(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        func space(_ generator: inout SeededGenerator) { if generator.once(in: 8) { bytes += Array(" \n".utf8) } }
        switch self {
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                space(&generator)
                element.spell(&bytes, &generator)
                space(&generator)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                space(&generator)
                JSONValue.string(member.key).spell(&bytes, &generator)
                space(&generator)
                bytes.append(UInt8(ascii: ":"))
                space(&generator)
                member.value.spell(&bytes, &generator)
                space(&generator)
            }
            bytes.append(UInt8(ascii: "}"))
        case .string(let text) where generator.once(in: 10):
            bytes.append(UInt8(ascii: "\""))
            for unit in text.utf16 {
                let hex = String(unit, radix: 16)
                bytes += Array("\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8)
            }
            bytes.append(UInt8(ascii: "\""))
        case .null, .bool, .number, .string: append(to: &bytes)
        }
    }
}
