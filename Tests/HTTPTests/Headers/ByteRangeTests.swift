import HTTP
import Testing

@Suite("ByteRange")
struct ByteRangeTests {
    @Test(
        "Ranges of ten bytes are resolved",
        arguments: [
            (nil, ByteRange.full), ("", .full), ("bytes", .full), ("bytes=", .full), ("bytes=-", .full), ("bytes=x-y", .full),
            ("bytes=5-2", .full), ("bytes=0-1,3-4", .full), ("items=0-1", .full), ("bytes=--1", .full), ("bytes=+1-2", .full),
            ("bytes=1-2-3", .full), ("bytes=0-0", .partial(0..<1)), ("bytes=0-9", .partial(0..<10)), ("bytes=0-10", .partial(0..<10)),
            ("bytes=3-5", .partial(3..<6)), ("Bytes = 3 - 5 ", .partial(3..<6)), ("bytes=9-", .partial(9..<10)),
            ("bytes=0-", .partial(0..<10)), ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable), ("bytes=-1", .partial(9..<10)),
            ("bytes=-10", .partial(0..<10)), ("bytes=-11", .partial(0..<10)), ("bytes=-0", .unsatisfiable),
            ("bytes=1-99999999999999999999", .partial(1..<10)), ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=-99999999999999999999", .partial(0..<10)),
        ] as [(String?, ByteRange)])
    func ranges(header: String?, expected: ByteRange) {
        #expect(ByteRange(header, length: 10) == expected)
    }

    @Test("An empty representation has no satisfiable range", arguments: ["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0"])
    func empty(header: String) {
        #expect(ByteRange(header, length: 0) == .unsatisfiable)
    }

    @Test("CBL iOS resumes a download with bytes=n-")
    func resume() {
        let range = ByteRange("bytes=4096-", length: 5000)
        #expect(range == .partial(4096..<5000))
        #expect(range.contentRange(length: 5000) == "bytes 4096-4999/5000")
    }

    @Test("Content-Range is written for the other results")
    func contentRange() {
        #expect(ByteRange.full.contentRange(length: 5) == nil)
        #expect(ByteRange.unsatisfiable.contentRange(length: 5) == "bytes */5")
    }
}
