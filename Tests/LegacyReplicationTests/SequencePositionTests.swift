import Gateway
import Storage
import Testing

@testable import LegacyReplication

@Suite("since")
struct SequencePositionTests {
    private let counter = Sequence(1_000_000_000_100)

    @Test("Ours are taken as they are, quoted or not", arguments: ["1000000000050", "\"1000000000050\""])
    func ours(_ text: String) throws {
        #expect(try SequencePosition.parse(text, counter: counter) == .here(FeedPosition(Sequence(1_000_000_000_050))))
    }

    @Test("The bounds of what is ours")
    func bounds() throws {
        #expect(try SequencePosition.parse("1000000000000", counter: counter) == .here(FeedPosition(.origin)))
        #expect(try SequencePosition.parse("1000000000100", counter: counter) == .here(FeedPosition(counter)))
        #expect(try SequencePosition.parse("1000000000101", counter: counter) == .elsewhere(UpstreamSequence("1000000000101")))
        #expect(try SequencePosition.parse("999999999999", counter: counter) == .elsewhere(UpstreamSequence("999999999999")))
        #expect(try SequencePosition.parse("now", counter: counter) == .here(FeedPosition(counter)))
    }

    @Test(
        "Another server's are told apart, quoted or not",
        arguments: [
            "0", "\"0\"", "12", "3:4", "34::36", "1:2:5", "12-g1AAAACLeJzLYWBgYM", "\"12-g1AAAA_x\"", "[12,\"g1AAAA\"]",
            "99999999999999999999999999",
        ])
    func foreign(_ text: String) throws {
        let bare = text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
        #expect(try SequencePosition.parse(text, counter: counter) == .elsewhere(UpstreamSequence(bare)))
    }

    @Test("A place in the backfill of a channel is taken as it is", arguments: ["1000000000050:7", "\"1000000000050:7\""])
    func backfill(_ text: String) throws {
        let position = FeedPosition(Sequence(7), trigger: Sequence(1_000_000_000_050))
        #expect(try SequencePosition.parse(text, counter: counter) == .here(position))
    }

    @Test("A place of a device that comes over keeps the number that it had reached there")
    func coming() throws {
        let origin = Sequence.origin.value
        for position in [
            FeedPosition(Sequence(origin + 50), reached: 7), FeedPosition(Sequence(origin + 3), trigger: Sequence(origin + 50), reached: 0),
        ] {
            #expect(try SequencePosition.parse(position.description, counter: counter) == .here(position), "\(position)")
            #expect(!position.isPlain)
        }
        #expect(FeedPosition(Sequence(origin + 50), reached: 7).description == "7:1000000000050")
        for text in ["7:1000000000101", "7:1000000000101:1000000000050", "7:8:1000000000050", "7:1000000000050:9"] {
            #expect(try SequencePosition.parse(text, counter: counter) == .elsewhere(UpstreamSequence(text)), "\(text)")
        }
        #expect(FeedPosition(.zero, reached: 7).description == "0")
    }

    @Test(
        "Where 32 bits end nothing can be told: a device that reads text into 32 bits begins anew",
        arguments: ["2147483647", "\"2147483647\""])
    func saturated(_ text: String) throws {
        #expect(try SequencePosition.parse(text, counter: counter) == .here(.zero))
        #expect(try SequencePosition.parse("2147483646", counter: counter) == .elsewhere(UpstreamSequence("2147483646")))
    }

    @Test("None at all means the beginning")
    func none() throws {
        #expect(try SequencePosition.parse(nil, counter: counter) == .here(.zero))
        #expect(try SequencePosition.parse("", counter: counter) == .here(.zero))
    }

    @Test(
        "What is no server's sequence is refused",
        arguments: [
            "bogus", "-5", "1.5", "12-", "12:", "12:x", "[12", "\"", "\"\"\"", "1 2", "{}", "true", "+5", "12;DROP", "1:2:3:4", "1:2::3",
        ])
    func malformed(_ text: String) {
        #expect(throws: LegacyError.self) { try SequencePosition.parse(text, counter: counter) }
    }
}
