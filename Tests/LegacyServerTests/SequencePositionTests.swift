import Gateway
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Parsing of since")
struct SequencePositionTests {
    private let counter = SequenceNumber(1_000_000_100)
    private var own: LocalSequences { LocalSequences(origin: .newOrigin, counter: counter) }

    @Test("A sequence of this store is accepted, quoted or not", arguments: ["1000000050", "\"1000000050\""])
    func ours(_ text: String) throws {
        #expect(try SequencePosition.parse(text, own) == .here(FeedPosition(SequenceNumber(1_000_000_050))))
    }

    @Test("The sequences of this store end at the origin and at the counter")
    func bounds() throws {
        #expect(try SequencePosition.parse("1000000000", own) == .here(FeedPosition(.newOrigin)))
        #expect(try SequencePosition.parse("1000000100", own) == .here(FeedPosition(counter)))
        #expect(try SequencePosition.parse("1000000101", own) == .elsewhere(UpstreamSequence("1000000101")))
        #expect(try SequencePosition.parse("999999999", own) == .elsewhere(UpstreamSequence("999999999")))
        #expect(try SequencePosition.parse("now", own) == .here(FeedPosition(counter)))
    }

    @Test(
        "A sequence of another server is recognised, quoted or not",
        arguments: [
            "0", "\"0\"", "12", "3:4", "34::36", "1:2:5", "12-g1AAAACLeJzLYWBgYM", "\"12-g1AAAA_x\"", "[12,\"g1AAAA\"]",
            "99999999999999999999999999",
        ])
    func foreign(_ text: String) throws {
        let bare = text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
        #expect(try SequencePosition.parse(text, own) == .elsewhere(UpstreamSequence(bare)))
    }

    @Test("A position in the backfill of a channel is accepted", arguments: ["1000000050:7", "\"1000000050:7\""])
    func backfill(_ text: String) throws {
        let position = FeedPosition(SequenceNumber(7), trigger: SequenceNumber(1_000_000_050))
        #expect(try SequencePosition.parse(text, own) == .here(position))
    }

    @Test("A position in the revocations is accepted, also where the document has changed since the revocation")
    func lost() throws {
        let position = FeedPosition(SequenceNumber(1_000_000_070), trigger: SequenceNumber(1_000_000_050))
        #expect(try SequencePosition.parse("1000000050:1000000070", own) == .here(position))
        let earlier = FeedPosition(SequenceNumber(1_000_000_000_070), trigger: SequenceNumber(1_000_000_000_050))
        #expect(FeedPosition(earlier.description) == earlier)
        #expect(FeedPosition("3000000000:1000000000050") == FeedPosition(SequenceNumber(1_000_000_000_050), reached: 3_000_000_000))
    }

    @Test("A position of a client that comes from the old server contains the number that it had reached there")
    func coming() throws {
        let origin = SequenceNumber.newOrigin.value
        for position in [
            FeedPosition(SequenceNumber(origin + 50), reached: 7),
            FeedPosition(SequenceNumber(origin + 3), trigger: SequenceNumber(origin + 50), reached: 0),
        ] {
            #expect(try SequencePosition.parse(position.description, own) == .here(position), "\(position)")
            #expect(!position.isPlain)
        }
        #expect(FeedPosition(SequenceNumber(origin + 50), reached: 7).description == "7:1000000050")
        for text in ["7:1000000101", "7:1000000101:1000000050", "7:8:1000000050", "7:1000000050:9"] {
            #expect(try SequencePosition.parse(text, own) == .elsewhere(UpstreamSequence(text)), "\(text)")
        }
        #expect(FeedPosition(.zero, reached: 7).description == "0")
    }

    @Test(
        "2147483647 means the beginning, because a device that reads text into 32 bits stores it for any larger number",
        arguments: ["2147483647", "\"2147483647\""])
    func saturated(_ text: String) throws {
        #expect(try SequencePosition.parse(text, own) == .here(.zero))
        #expect(try SequencePosition.parse("2147483646", own) == .elsewhere(UpstreamSequence("2147483646")))
        let large = LocalSequences(origin: .newOrigin, counter: SequenceNumber(3_000_000_000))
        #expect(try SequencePosition.parse(text, large) == .here(.zero))
        #expect(try SequencePosition.parse("2147483648", large) == .here(FeedPosition(SequenceNumber(2_147_483_648))))
    }

    @Test("In a store with the origin 10^12, smaller numbers belong to the old server")
    func oldStore() throws {
        let old = LocalSequences(
            origin: SequenceNumber(1_000_000_000_000), counter: SequenceNumber(1_000_000_000_100), reach: 3_000_000_000)
        #expect(try SequencePosition.parse("1000000000050", old) == .here(FeedPosition(SequenceNumber(1_000_000_000_050))))
        #expect(try SequencePosition.parse("7:1000000000050", old) == .here(FeedPosition(SequenceNumber(1_000_000_000_050), reached: 7)))
        for text in ["1000000050", "999999999999", "1000000050:7"] {
            #expect(try SequencePosition.parse(text, old) == .elsewhere(UpstreamSequence(text)), "\(text)")
        }
    }

    @Test("Near the old server's sequences, only a marked position is this store's, and an ambiguous one means the beginning")
    func doubt() throws {
        for reach in [500_000_000, 1_000_000_050, 7_000_000_000] as [Int64] {
            let doubtful = LocalSequences(origin: .newOrigin, counter: counter, reach: reach)
            for position in [
                FeedPosition(SequenceNumber(1_000_000_050)),
                FeedPosition(SequenceNumber(1_000_000_003), trigger: SequenceNumber(1_000_000_050)),
                FeedPosition(.zero, trigger: SequenceNumber(1_000_000_050)),
            ] {
                let marked = doubtful.marked(position)
                #expect(marked.description == "0:\(position)")
                #expect(try SequencePosition.parse(marked.description, doubtful) == .here(marked))
                #expect(
                    try SequencePosition.parse(marked.description, own) == .here(marked),
                    "also later, when the old server's sequences are far away")
                #expect(try SequencePosition.parse(position.description, doubtful) == .here(.zero))
            }
            #expect(try SequencePosition.parse("999999000:1000000050:7", doubtful) == .here(.zero))
            #expect(try SequencePosition.parse("7:1000000050", doubtful) == .here(.zero))
            for text in ["12", "999999999", "1000000101", "6000000000", "1000000101:7", "5::1000000101"] {
                #expect(try SequencePosition.parse(text, doubtful) == .elsewhere(UpstreamSequence(text)), "\(text)")
            }
            #expect(try SequencePosition.parse("now", doubtful) == .here(doubtful.marked(FeedPosition(counter))))
            #expect(doubtful.marked(.zero).description == "0")
        }
        #expect(own.marked(FeedPosition(counter)).description == counter.description)
        let far = LocalSequences(origin: .newOrigin, counter: counter, reach: 499_999_999)
        #expect(try SequencePosition.parse("1000000050", far) == .here(FeedPosition(SequenceNumber(1_000_000_050))))
    }

    @Test("An absent position means the beginning")
    func none() throws {
        #expect(try SequencePosition.parse(nil, own) == .here(.zero))
        #expect(try SequencePosition.parse("", own) == .here(.zero))
    }

    @Test(
        "A text that is no server's sequence is refused",
        arguments: [
            "bogus", "-5", "1.5", "12-", "12:", "12:x", "[12", "\"", "\"\"\"", "1 2", "{}", "true", "+5", "12;DROP", "1:2:3:4", "1:2::3",
        ])
    func malformed(_ text: String) {
        #expect(throws: LegacyError.self) { try SequencePosition.parse(text, own) }
    }
}
