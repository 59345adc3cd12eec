import Gateway
import Storage
import Testing

@testable import LegacyServer

@Suite("Positions of this server in requests that go to another one")
struct OwnPositionsTests {
    private static let positions = OwnPositions(
        LocalSequences(origin: SequenceNumber(1_000_000_000), counter: SequenceNumber(1_000_000_050)))

    @Test(
        "A target's own position is replaced, and nothing else",
        arguments: [
            ("/db/_changes?since=1000000012", "/db/_changes?since=0"),
            ("/db/_changes?feed=longpoll&since=1000000012&heartbeat=%2B1", "/db/_changes?feed=longpoll&since=0&heartbeat=%2B1"),
            ("/db/_changes?since=%221000000012%22&x", "/db/_changes?since=0&x"),
            ("/db/_changes?since=57:1000000012", "/db/_changes?since=0"),
            ("/db/_changes?since=1000000020:1000000012", "/db/_changes?since=0"),
        ])
    func own(raw: String, changed: String) {
        #expect(Self.positions.removed(fromTarget: raw) == changed)
    }

    @Test(
        "Positions of the other server stay, and targets without a position",
        arguments: [
            "/db/_changes", "/db/_changes?", "/db/_changes?since=", "/db/_changes?since=0", "/db/_changes?since=57",
            "/db/_changes?since=999999999", "/db/_changes?since=1000000051", "/db/_changes?since=2:5", "/db/_changes?since=2::5",
            "/db/_changes?since=12-g1AAAA", "/db/_changes?since=now", "/db/_changes?since=x", "/db/_changes?other=1000000012",
            "/db/_changes?since=2147483647",
        ])
    func foreign(raw: String) {
        #expect(Self.positions.removed(fromTarget: raw) == raw)
    }

    @Test(
        "Options in a body or a message",
        arguments: [
            (#"{"since":1000000012,"limit":5}"#, #"{"limit":5,"since":0}"#), (#"{"since":"1000000012"}"#, #"{"since":0}"#),
            (#"{"since":57}"#, nil), (#"{"since":null}"#, nil), (#"{"limit":5}"#, nil), ("[]", nil), ("", nil), ("{", nil),
        ])
    func options(sent: String, changed: String?) {
        #expect(Self.positions.removed(fromOptions: Array(sent.utf8)).map { String(decoding: $0, as: UTF8.self) } == changed)
    }
}
