import Documents
import TestSupport

/// A value that is encoded as Fleece and as JSON, for tests of the decoder. Everything but small numbers is written before the pointer to
/// it.
enum TestFleece {
    case null
    case bool(Bool)
    case number(Int)
    case double(Double)
    case text(String)
    case array([TestFleece])
    case dictionary([(String, TestFleece)])

    /// The value as LiteCore would store it, but always wide.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        let place = append(to: &bytes)
        if bytes.count - place > 0x7ffe {
            // Too far for a narrow pointer: a wide one in between.
            let wide = bytes.count
            bytes += Self.pointer(from: wide, to: place)
            bytes += [0x80, 0x02]
        } else {
            let distance = (bytes.count - place) / 2
            bytes += [0x80 | UInt8(distance >> 8), UInt8(distance & 0xff)]
        }
        return bytes
    }

    var json: String {
        var bytes: [UInt8] = []
        appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func random(depth: Int, _ generator: inout SeededGenerator) -> TestFleece {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .number(Int(truncatingIfNeeded: generator.next()) >> Int.random(in: 0..<64, using: &generator))
        case 3: .double(Double(Int.random(in: -1000...1000, using: &generator)) / 8 + 0.1)
        case 4: .text(text(&generator))
        case 5, 6: .array((0..<Int.random(in: 0..<6, using: &generator)).map { _ in random(depth: depth - 1, &generator) })
        default: .dictionary((0..<Int.random(in: 0..<6, using: &generator)).map { ("k\($0)", random(depth: depth - 1, &generator)) })
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let letters = Array("aé😀\"\\\n/ z")
        return String((0..<Int.random(in: 0..<40, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }

    /// Writes the value, and returns its position.
    private func append(to bytes: inout [UInt8]) -> Int {
        switch self {
        case .null: return Self.append([0x30, 0x00], to: &bytes)
        case .bool(let value): return Self.append([value ? 0x38 : 0x34, 0x00], to: &bytes)
        case .number(let number):
            return Self.append([0x17] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }, to: &bytes)
        case .double(let number):
            return Self.append([0x28, 0x00] + (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }, to: &bytes)
        case .text(let text): return Self.append(text: text, to: &bytes)
        case .array(let elements):
            let places = elements.map { $0.append(to: &bytes) }
            return Self.append(0x68, places, count: places.count, to: &bytes)
        case .dictionary(let members):
            let places = members.flatMap { key, value in [Self.append(text: key, to: &bytes), value.append(to: &bytes)] }
            return Self.append(0x78, places, count: members.count, to: &bytes)
        }
    }

    private func appendJSON(to bytes: inout [UInt8]) {
        switch self {
        case .null: JSONWriter.append(raw: "null", to: &bytes)
        case .bool(let value): JSONWriter.append(value, to: &bytes)
        case .number(let number): JSONWriter.append(number, to: &bytes)
        case .double(let number): bytes += Array("\(number)".utf8)
        case .text(let text): JSONWriter.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(0x5b)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(0x2c) }
                element.appendJSON(to: &bytes)
            }
            bytes.append(0x5d)
        case .dictionary(let members):
            bytes.append(0x7b)
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(0x2c) }
                JSONWriter.append(key: member.0, to: &bytes)
                member.1.appendJSON(to: &bytes)
            }
            bytes.append(0x7d)
        }
    }

    private static func append(_ value: [UInt8], to bytes: inout [UInt8]) -> Int {
        let place = bytes.count
        bytes += value
        if bytes.count & 1 == 1 { bytes.append(0) }
        return place
    }

    private static func append(text: String, to bytes: inout [UInt8]) -> Int {
        let utf8 = Array(text.utf8)
        guard utf8.count >= 15 else { return append([0x40 | UInt8(utf8.count)] + utf8, to: &bytes) }
        let length = utf8.count < 128 ? [UInt8(utf8.count)] : [UInt8(utf8.count & 0x7f) | 0x80, UInt8(utf8.count >> 7)]
        return append([0x4f] + length + utf8, to: &bytes)
    }

    private static func append(_ tag: UInt8, _ places: [Int], count: Int, to bytes: inout [UInt8]) -> Int {
        let place = bytes.count
        bytes += [tag | UInt8(count >> 8), UInt8(count & 0xff)]
        for target in places { bytes += pointer(from: bytes.count, to: target) }
        return place
    }

    private static func pointer(from place: Int, to target: Int) -> [UInt8] {
        let distance = (place - target) / 2
        return [0x80 | UInt8(distance >> 24), UInt8(distance >> 16 & 0xff), UInt8(distance >> 8 & 0xff), UInt8(distance & 0xff)]
    }
}
