import Documents
import TestSupport

/// Creates values of terms and shapes: valid ones, and some at the boundaries.
struct Maker {
    var random: SeededGenerator
    var knowledge = Knowledge()

    /// About one of this number of values is at the boundaries; 0 for none.
    var wildness = 0

    /// Whether half of all numbers are extreme while everything else is valid: some faults occur only with otherwise valid values.
    var isExtreme = false

    /// Whether WebSocket frames are masked: those of clients are.
    var isMasked = true

    init(random: SeededGenerator) {
        self.random = random
    }

    mutating func isWild() -> Bool { wildness > 0 && random.once(in: wildness) }

    mutating func text(_ term: Term) -> [UInt8] {
        if isWild() { return boundary(of: term) }
        if isExtreme, let extreme = extreme(of: term) { return Array(extreme.utf8) }
        switch term {
        case .flag: return Array(random.pick(["true", "false"]).utf8)
        case .number: return Array(String(random.number(0...50)).utf8)
        case .choice(let texts): return Array(random.pick(texts).utf8)
        case .known(let kind): return Array(random.pick(knowledge.known(kind)).utf8)
        case .list(let element): return Array((0..<random.number(1...3)).map { _ in text(element) }.joined(separator: [0x2c]))
        case .json(let shape):
            var bytes: [UInt8] = []
            json(shape, to: &bytes)
            return bytes
        case .text: return Array(random.pick(["x", "abc", "a b", "1", "é"]).utf8)
        }
    }

    private mutating func extreme(of term: Term) -> String? {
        guard random.once(in: 2) else { return nil }
        return switch term {
        case .number, .known(.sequence): random.pick(Boundaries.extremes)
        case .known(.revision): "\(random.pick(Boundaries.extremes))-\(random.pick(["a", "b", "aa"]))"
        default: nil
        }
    }

    private mutating func boundary(of term: Term) -> [UInt8] {
        switch (term, random.number(0...4)) {
        case (_, 0): random.pick(Boundaries.texts)
        case (.known(let kind), _):
            random.once(in: 2)
                ? Array((Boundaries.values(of: kind).randomElement(using: &random) ?? "").utf8) : random.pick(Boundaries.texts)
        case (.number, _), (.flag, 1...2), (.choice, 1): Array(random.pick(Boundaries.numbers).utf8)
        case (.json, _): Array(random.pick(Boundaries.json).utf8)
        default: random.pick(Boundaries.texts)
        }
    }

    // MARK: JSON

    mutating func json(_ shape: JSONShape, to bytes: inout [UInt8]) {
        if isWild() {
            bytes += Array(random.pick(random.once(in: 3) ? Boundaries.numbers : Boundaries.json).utf8)
            return
        }
        switch shape {
        case .text(let term): string(text(term), to: &bytes)
        case .plain(let term): bytes += text(term)
        case .object(let members): object(members.map { (Array($0.key.utf8), $0.value) }, to: &bytes)
        case .map(let key, let value): object((0..<random.number(0...3)).map { _ in (text(key), value) }, isWhole: true, to: &bytes)
        case .array(let element): list((0..<random.number(0...3)).map { _ in element }, to: &bytes)
        case .tuple(let elements): list(elements, to: &bytes)
        case .document: json(Self.document, to: &bytes)
        case .anything: bytes += Array(random.pick(["1", "\"x\"", "{\"a\":[1,2]}", "[]", "true", "null", "-1.5e3"]).utf8)
        }
    }

    private mutating func object(_ members: [([UInt8], JSONShape)], isWhole: Bool = false, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in members where isWhole || random.number(0...2) > 0 {
            for _ in 0...(isWild() ? 1 : 0) {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                string(isWild() ? random.pick(Boundaries.texts) : key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                json(value, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func list(_ elements: [JSONShape], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            json(element, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func string(_ text: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let isRaw = isWild()
        for byte in text {
            switch byte {
            case _ where isRaw: bytes.append(byte)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A document as a 1.x client sends it. It has neither the channels nor the marker words of hidden documents.
    static let document = JSONShape.object([
        "_id": .text(.known(.id)), "_rev": .text(.known(.revision)), "type": .text(.choice(["order", "note"])),
        "channels": .array(.text(.choice(["a", "b", "!", "g"]))), "n": .plain(.number), "x": .anything, "owner": .text(.known(.user)),
        "_deleted": .plain(.choice(["true", "false", "false", "false"])), "_exp": .plain(.number), "_removed": .plain(.choice(["false"])),
        "_revisions": .object([
            "start": .plain(.choice(["1", "2", "3", "4"])),
            "ids": .array(.text(.choice(["a", "b", "c", "aa", "ca9ad22802b66f662ff171f226211d5c"]))),
        ]),
        "_attachments": .map(
            .known(.attachment),
            .object([
                "data": .text(.choice(["aGVsbG8=", "", "*", "aGVsbG8"])), "stub": .plain(.flag), "follows": .plain(.choice(["false"])),
                "digest": .text(.known(.digest)), "length": .plain(.number), "revpos": .plain(.number), "encoded_length": .plain(.number),
                "encoding": .text(.choice(["gzip", "x"])), "content_type": .text(.choice(["text/plain", "application/json"])),
            ])),
    ])
}
