import Documents
import TestSupport
import Testing

@testable import Migration

@Suite("Fleece")
struct FleeceTests {
    private static func json(_ bytes: [UInt8], keys: SharedKeys = SharedKeys(), size: Int = 1 << 16) throws -> String {
        String(decoding: try FleeceJSON.decode(bytes[...], keys: keys, limits: FleeceLimits(maximumSize: size)).json, as: UTF8.self)
    }

    @Test(
        "Inline scalars are decoded",
        arguments: [
            ([0x00, 0x00], "0"), ([0x07, 0xff], "2047"), ([0x0f, 0xff], "-1"), ([0x08, 0x00], "-2048"), ([0x30, 0x00], "null"),
            ([0x34, 0x00], "false"), ([0x38, 0x00], "true"), ([0x3c, 0x00], "null"), ([0x40, 0x00], "\"\""), ([0x41, 0x61], "\"a\""),
            ([0x60, 0x00], "[]"), ([0x70, 0x00], "{}"), ([0x51, 0xff], "\"/w==\""),
        ] as [([UInt8], String)])
    func scalars(bytes: [UInt8], json: String) throws {
        #expect(try Self.json(bytes) == json)
    }

    @Test(
        "Scalars behind pointers are decoded",
        arguments: [
            ([0x11, 0xe8, 0x80, 0x00, 0x80, 0x02], "-32536"), ([0x19, 0xe8, 0x80, 0x00, 0x80, 0x02], "33000"),
            ([0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x80, 0x05], "18446744073709551615"),
            ([0x17, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x80, 0x05], "-1"),
            ([0x24, 0x00, 0x00, 0x00, 0xc0, 0x3f, 0x80, 0x03], "1.5"),
            ([0x20, 0x00, 0xcd, 0xcc, 0xcc, 0x3d, 0x80, 0x03], "0.1"),
            ([0x28, 0x00, 0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f, 0x80, 0x05], "0.1"),
            ([0x42, 0x22, 0x0a, 0x00, 0x80, 0x02], "\"\\\"\\n\""),
        ] as [([UInt8], String)])
    func pointers(bytes: [UInt8], json: String) throws {
        #expect(try Self.json(bytes) == json)
    }

    @Test("Keys that the database's documents share are numbers")
    func sharedKeys() throws {
        let keys = try SharedKeys([0x44, 0x74, 0x79, 0x70, 0x65, 0x00, 0x60, 0x01, 0x80, 0x04, 0x80, 0x02])
        #expect(try Self.json([0x70, 0x01, 0x00, 0x00, 0x00, 0x05, 0x80, 0x03], keys: keys) == "{\"type\":5}")
        #expect(throws: FleeceError.self) { try Self.json([0x70, 0x01, 0x00, 0x01, 0x00, 0x05, 0x80, 0x03], keys: keys) }
    }

    @Test(
        "Malformed Fleece is refused",
        arguments: [
            [], [0x00], [0x00, 0x00, 0x00], [0x00, 0x00, 0x00, 0x00], [0x80, 0x01], [0x00, 0x00, 0x80, 0x02], [0x80, 0x00],
            [0x00, 0x00, 0xc0, 0x01],
            // An array that contains itself, one that ends too early, a string that does, infinity, a key that is an array.
            [0x60, 0x01, 0x80, 0x01, 0x80, 0x02], [0x60, 0x09, 0x00, 0x01, 0x80, 0x02], [0x4f, 0xff, 0xff, 0x7f, 0x80, 0x02],
            [0x24, 0x00, 0x00, 0x00, 0x80, 0x7f, 0x80, 0x03], [0x70, 0x01, 0x60, 0x00, 0x00, 0x05, 0x80, 0x03], [0x41, 0xff],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: FleeceError.self) { try Self.json(bytes) }
    }

    @Test("A short Fleece text that would give endless JSON is limited")
    func bomb() {
        // Each array contains the previous one twice.
        var bytes: [UInt8] = [0x60, 0x02, 0x00, 0x00, 0x00, 0x00]
        for _ in 0..<60 { bytes += [0x60, 0x02, 0x80, 0x04, 0x80, 0x05] }
        bytes += [0x80, 0x03]
        #expect(throws: FleeceError.self) { try Self.json(bytes) }
    }

    @Test("Nesting has a limit")
    func depth() {
        var bytes: [UInt8] = [0x60, 0x00]
        for _ in 0..<600 { bytes += [0x60, 0x01, 0x80, bytes.count == 2 ? 0x02 : 0x02] }
        bytes += [0x80, 0x02]
        #expect(throws: FleeceError.self) { try Self.json(bytes) }
    }

    @Test("Blobs are found anywhere, and named by JSON pointers")
    func blobs() throws {
        let value = TestFleece.dictionary([
            ("a/b~", .array([.null, .dictionary([("@type", .text("blob")), ("digest", .text("sha1-x"))])])), ("n", .number(1)),
        ])
        let decoded = try FleeceJSON.decode(value.encoded()[...], keys: SharedKeys())
        #expect(decoded.blobs.map { String(decoding: $0.pointer, as: UTF8.self) } == ["/a~1b~0/1"])
        #expect(
            decoded.blobs.map { String(decoding: decoded.json[$0.range], as: UTF8.self) } == ["{\"@type\":\"blob\",\"digest\":\"sha1-x\"}"])
    }

    @Test("Encoded values are decoded", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = TestFleece.random(depth: 5, &generator)
        #expect(try Self.json(value.encoded(), size: 1 << 20) == value.json, "seed \(seed)")
    }

    @Test("Damaged Fleece is refused or gives JSON", arguments: 0..<100 as Range<UInt64>)
    func mutations(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = TestFleece.random(depth: 5, &generator).encoded()
        for _ in 0..<50 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
            }
            if generator.once(in: 4) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator)) }
            guard let decoded = try? FleeceJSON.decode(damaged[...], keys: SharedKeys(), limits: FleeceLimits(maximumSize: 1 << 16)) else {
                continue
            }
            #expect(throws: Never.self, "seed \(seed)") { try JSONReader.read(decoded.json, maximumDepth: 600) { _ = try $0.skip() } }
        }
    }
}
