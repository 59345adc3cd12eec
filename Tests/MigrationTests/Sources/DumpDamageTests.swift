import Documents
import Foundation
import Migration
import TestSupport
import Testing

@Suite("Damaged dumps")
struct DumpDamageTests {
    private static let faulty: [(String, [UInt8])] = [
        ("bad JSON", Array("{\"_id\":\"bad\",\"a\":nul}".utf8)),
        ("a quote missing", Array("{\"_id\":\"bad\",\"a\":\"x}".utf8)),
        ("invalid UTF-8", Array("{\"_id\":\"bad\",\"a\":\"".utf8) + [0xff] + Array("\"}".utf8)),
        ("a bad ID", Array("{\"_id\":\"_bad\",\"a\":1}".utf8)),
        ("too large", Array("{\"_id\":\"bad\",\"a\":\"\(String(repeating: "x", count: 40_000))\"}".utf8)),
        ("a body too large", Array("{\"_id\":\"bad\",\"a\":\"\(String(repeating: "x", count: 15_000))\"}".utf8)),
        ("a bracket missing", Array("{\"_id\":\"bad\",\"a\":{\"b\":1}".utf8)),
        ("a bracket too many", Array("{\"_id\":\"bad\",\"a\":1}}".utf8)),
        ("a bad revision", Array("{\"_id\":\"bad\",\"_rev\":\"x\"}".utf8)),
        ("a key twice", Array("{\"_id\":\"bad\",\"a\":1,\"a\":2}".utf8)),
    ]

    private static func good(_ number: Int) -> [UInt8] {
        Array("{\"_id\":\"d\(number)\",\"_rev\":\"1-aa\",\"n\":[{\"x\":\(number)}]}".utf8)
    }

    private static func rows(_ documents: [[UInt8]]) -> [[UInt8]] {
        documents.enumerated().map { Array("{\"id\":\"\($0 == 2 ? "bad" : "d\($0)")\",\"doc\":".utf8) + $1 + [0x7d] }
    }

    private static func join(_ parts: [[UInt8]], _ separator: String) -> [UInt8] {
        Array(parts.joined(separator: Array(separator.utf8)))
    }

    @Test(
        "A faulty document fails alone in every form", arguments: 0..<10,
        ["lines", "array a line", "couchbackup", "rows a line", "one array", "one line of rows"])
    func oneFault(index: Int, form: String) async throws {
        let scratch = try Scratch()
        var documents = (0..<6).map { Self.good($0) }
        documents[2] = Self.faulty[index].1
        let bytes: [UInt8]
        switch form {
        case "lines": bytes = Self.join(documents, "\n")
        case "array a line": bytes = Array("[\n".utf8) + Self.join(documents, ",\n") + Array("\n]".utf8)
        case "couchbackup": bytes = documents.flatMap { [0x5b] + $0 + [0x5d, 0x0a] }
        case "rows a line": bytes = Array("{\"rows\":[\r\n".utf8) + Self.join(Self.rows(documents), ",\r\n") + Array("\r\n]}".utf8)
        case "one array": bytes = [0x5b] + Self.join(documents, ",") + [0x5d]
        default: bytes = Array("{\"rows\":[".utf8) + Self.join(Self.rows(documents), ",") + Array("]}".utf8)
        }
        // A missing quote in a form without lines makes the rest unreadable.
        let isHopeless = index == 1 && (form == "one array" || form == "one line of rows")
        let items = try await SourceReading.itemsReopening(
            try scratch.write(bytes, to: "dump.json"), limits: SourceBatchLimits(documents: 4, bodyBytes: 10_000))
        let comment: Comment = "\(Self.faulty[index].0) in \(form): \(items.faults.map { "\($0.id): \($0.reason)" })"
        #expect(!items.faults.isEmpty, comment)
        #expect(items.faults.first.map { $0.id == "bad" || $0.id == "_bad" || $0.id.hasPrefix("byte") || isHopeless } == true, comment)
        // With a surplus bracket the document is complete, and the text after it is invalid.
        let ids = items.documents.map(\.id).filter { $0 != "bad" }
        #expect(isHopeless || ids == ["d0", "d1", "d3", "d4", "d5"], comment)
    }

    @Test("A truncated dump is reported, at any length", arguments: 0..<40 as Range<UInt64>)
    func truncated(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        let documents = (0..<30).map { Self.good($0) }
        let text = Array("{\"rows\":[\n".utf8) + Self.join(Self.rows(documents), ",\n") + Array("\n]}\n".utf8)
        let length = Int.random(in: 12..<text.count - 3, using: &generator)
        let whole = try await SourceReading.itemsReopening(try scratch.write(text.prefix(length), to: "dump.json"))
        #expect(!whole.faults.isEmpty, "seed \(seed)")
        let zipped = Gzip.compress(text)
        let cut = try scratch.write(zipped.prefix(Int.random(in: 20..<zipped.count - 10, using: &generator)), to: "dump.gz")
        let items = try? await SourceReading.itemsReopening(cut)
        #expect(items.map { !$0.faults.isEmpty } ?? true, "seed \(seed)")
        #expect(items.map { $0.documents.map(\.id) == $0.documents.indices.map { $0 == 2 ? "d2" : "d\($0)" } } ?? true, "seed \(seed)")
    }

    @Test("Reading ends for any bytes", arguments: 0..<100 as Range<UInt64>)
    func noise(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        var bytes = Self.join((0..<10).map { Self.good($0) }, generator.once(in: 2) ? "\n" : ",")
        bytes = generator.once(in: 2) ? [0x5b] + bytes + [0x5d] : bytes
        let letters = Array("{}[]\",\\\n: ".utf8)
        for _ in 0..<20 { bytes[Int.random(in: bytes.indices, using: &generator)] = letters.randomElement(using: &generator) ?? 0 }
        guard let source = try? SourceOpener.open(path: scratch.write(bytes, to: "noise.json")) else { return }
        let items = try await SourceReading.items(source)
        #expect(items.documents.count <= 10, "seed \(seed)")
    }
}
