import HTTP
import TestSupport
import Testing

@Suite("HTTPDate")
struct HTTPDateTests {
    static let dates: [(Int64, String)] = [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (1_795_228_504, "Sat, 21 Nov 2026 02:35:04 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ]

    @Test("Known dates are read and written", arguments: HTTPDateTests.dates)
    func known(seconds: Int64, text: String) {
        #expect(HTTPDate.format(seconds) == text)
        #expect(HTTPDate.parse(text) == seconds)
    }

    @Test("Any second is written and read again")
    func roundTrip() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let seconds = Int64.random(in: 0...253_402_300_799, using: &random)
            #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds)
        }
    }

    @Test("Times beyond the format are clamped")
    func clamped() {
        #expect(HTTPDate.format(-1) == HTTPDate.format(0))
        #expect(HTTPDate.format(.min) == HTTPDate.format(0))
        #expect(HTTPDate.format(.max) == HTTPDate.format(253_402_300_799))
    }

    @Test("Cookie dates with hyphens and leap seconds are read")
    func variants() {
        #expect(HTTPDate.parse("Sun, 06-Nov-1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:60 GMT") == 784_111_799)
    }

    @Test(
        "Malformed dates are refused",
        arguments: [
            "", "now", "Sun, 06 Nov 1994", "Sun, 31 Feb 2023 00:00:00 GMT", "Sun, 00 Jan 2023 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06 Nix 1994 08:49:37 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT", "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
        ])
    func none(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
