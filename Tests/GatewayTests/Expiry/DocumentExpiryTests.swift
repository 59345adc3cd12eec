import Testing

@testable import Gateway

@Suite("Forms of expiry")
struct DocumentExpiryTests {
    private static let now: Int64 = 1_700_000_000_123

    @Test(
        "Numbers, numbers as text and dates are read as in Sync Gateway",
        arguments: [
            ("5", now + 5000), ("\"5\"", now + 5000), ("2592000", now + 2_592_000_000), ("2592001", 2_592_001_000),
            ("1795230527", 1_795_230_527_000), ("4294967295", 4_294_967_295_000), ("\"2026-11-21T03:08:47Z\"", 1_795_230_527_000),
            ("\"2026-11-21T04:08:47+01:00\"", 1_795_230_527_000), ("\"2026-11-21T03:08:47.900Z\"", 1_795_230_527_000),
            ("0", nil), ("null", nil), ("\"0\"", nil),
        ] as [(String, Int64?)])
    func forms(json: String, time: Int64?) throws {
        #expect(try DocumentExpiry(json: Array(json.utf8), now: Self.now)?.time == time)
    }

    @Test(
        "An invalid expiry is refused with Sync Gateway's message",
        arguments: [
            "-1", "1.5", "1e3", "4294967296", "true", "[]", "{}", "\"\"", "\"soon\"", "\"2026-11-21\"", "\"1969-01-01T00:00:00Z\"",
            "\"9999-01-01T00:00:00Z\"",
        ])
    func refused(json: String) throws {
        let error = #expect(throws: GatewayError.self) { try DocumentExpiry(json: Array(json.utf8), now: Self.now) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix("Invalid expiry: ") == true)
    }

    @Test("An expiry is written in whole seconds")
    func text() {
        #expect(DocumentExpiry(time: 1_795_230_527_999).text == "2026-11-21T03:08:47Z")
    }
}
