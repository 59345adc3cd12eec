import Testing

@testable import BLIP

@Suite("Varints")
struct FrameVarintTests {
    @Test(
        "Known values are encoded and decoded",
        arguments: [
            (0, "00"), (1, "01"), (127, "7f"), (128, "80 01"), (300, "ac 02"), (65_536, "80 80 04"),
            (UInt64(UInt32.max), "ff ff ff ff 0f"), (UInt64.max, "ff ff ff ff ff ff ff ff ff 01"),
        ] as [(UInt64, String)])
    func known(value: UInt64, hex: String) throws {
        var bytes: [UInt8] = []
        FrameVarint.append(value, to: &bytes)
        #expect(bytes == [UInt8](hex: hex))
        #expect(FrameVarint.size(of: value) == bytes.count)
        let decoded = try decode(bytes)
        #expect(decoded?.value == value)
        #expect(decoded?.count == bytes.count)
        #expect(try decode(Array(bytes.dropLast())) == nil)
    }

    @Test("Sizes are right at every bit length")
    func sizes() {
        for shift: UInt64 in 0..<64 {
            for value in [UInt64(1) << shift, (UInt64(1) << shift) &- 1] {
                var bytes: [UInt8] = []
                FrameVarint.append(value, to: &bytes)
                #expect(FrameVarint.size(of: value) == bytes.count)
            }
        }
    }

    @Test("More than 64 bits are refused", arguments: ["ff ff ff ff ff ff ff ff ff 02", "80 80 80 80 80 80 80 80 80 80 01"])
    func tooLong(hex: String) {
        #expect(throws: BLIPError.self) { try decode([UInt8](hex: hex)) }
    }

    @Test("More bytes than allowed are refused")
    func tooManyBytes() throws {
        #expect(throws: BLIPError.self) { try decode([UInt8](hex: "80 80 80 80 80 01"), maxBytes: 5) }
        #expect(try decode([UInt8](hex: "80 80 80 80"), maxBytes: 5) == nil)
    }

    private func decode(_ bytes: [UInt8], maxBytes: Int = 10) throws -> (value: UInt64, count: Int)? {
        try bytes.withUnsafeBytes { try FrameVarint.decode($0, maxBytes: maxBytes) }
    }
}
