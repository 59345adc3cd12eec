import Testing

@testable import BLIP

@Suite("Properties")
struct PropertiesTests {
    @Test("Properties keep their order and values")
    func roundTrip() throws {
        let properties: BLIPProperties = ["Profile": "rev", "id": "Größe 🛤", "rev": "", "": "empty key"]
        let decoded = try decode(properties.encoded)
        #expect(decoded == properties)
        #expect(decoded.map(\.key) == ["Profile", "id", "rev", ""])
        #expect(decoded["id"] == "Größe 🛤")
        #expect(decoded["rev"] == "")
        #expect(decoded[""] == "empty key")
        #expect(decoded["Prof"] == nil)
        #expect(decoded["empty key"] == nil)
        #expect(try decode([]).isEmpty)
    }

    @Test("Properties are set, replaced and removed")
    func setting() {
        var properties: BLIPProperties = ["a": "1", "b": "2"]
        properties["a"] = "3"
        properties["c"] = "4"
        properties["b"] = nil
        #expect(properties == ["a": "3", "c": "4"])
        #expect(properties.description == "{a: 3, c: 4}")
    }

    @Test(
        "Booleans are read as LiteCore reads them",
        arguments: [
            ("true", true), ("TRUE", true), ("Yes", true), ("1", true), ("-1", true), ("2", true), ("0", false),
            ("false", false), ("no", false), ("", false), ("t", false),
        ])
    func booleans(value: String, expected: Bool) {
        #expect(BLIPProperties(dictionaryLiteral: ("k", value)).bool("k") == expected)
    }

    @Test("Numbers are read")
    func numbers() {
        let properties: BLIPProperties = ["a": "-12", "b": "12x", "c": ""]
        #expect(properties.integer("a") == -12)
        #expect(properties.integer("b") == nil)
        #expect(properties.integer("c") == nil)
        #expect(properties.integer("d") == nil)
        #expect(!properties.bool("d"))
    }

    @Test(
        "Malformed blocks are refused",
        arguments: ["61", "61 00", "61 00 62", "00", "61 00 62 00 61 00 63 00", "61 00 ff 00", "61 00 c3 00 a4 00 62 00"])
    func malformed(hex: String) {
        #expect(throws: Fault(.malformedProperties)) { try faults { _ = try decode([UInt8](hex: hex)) } }
    }

    @Test("Too many properties and too long ones are refused")
    func limits() throws {
        var properties = BLIPProperties()
        for index in 0..<65 {
            properties.add("key\(index)", "")
        }
        #expect(throws: Fault(.malformedProperties)) { try faults { _ = try decode(properties.encoded) } }
        let long: BLIPProperties = ["k": String(repeating: "x", count: 102_397)]
        #expect(try decode(long.encoded) == long)
        let longer: BLIPProperties = ["k": String(repeating: "x", count: 102_398)]
        #expect(throws: Fault(.propertiesTooLong)) { try faults { _ = try decode(longer.encoded) } }
    }

    @Test("Properties that cannot be sent are refused, and the connection continues")
    func sending() throws {
        let connection = BLIPConnection()
        #expect(throws: Fault(.malformedProperties)) {
            try faults { _ = try connection.send(request: .request("rev", properties: ["id": "a\0b"])) }
        }
        #expect(throws: Fault(.propertiesTooLong)) {
            try faults {
                _ = try connection.send(
                    request: .request("rev", properties: ["id": String(repeating: "x", count: 102_400)]))
            }
        }
        #expect(connection.nextFrame() == nil)
        #expect(try connection.send(request: .request("rev")) == 1)
        #expect(connection.nextFrame() != nil)
    }

    private func decode(_ bytes: [UInt8]) throws -> BLIPProperties {
        try bytes.withUnsafeBytes { try BLIPProperties(decoding: $0) }
    }
}
