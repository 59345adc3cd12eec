import TestSupport
import Testing

@testable import BLIP

/// Two connections under a random schedule: every message arrives once and intact, and nothing is left over.
@Suite("Random exchanges")
struct RandomExchangeTests {
    @Test("Thousands of messages of every kind arrive in both directions", arguments: 1...8 as ClosedRange<UInt64>)
    func everything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let compression = [
            BLIPCompression(), BLIPCompression(level: 1, windowBits: 12), .off,
            BLIPCompression(level: 3, minimumPayload: 1, minimumBeginning: 1),
        ][Int(seed % 4)]
        var limits = BLIPLimits()
        limits.maxBufferedBytes = 16 << 20
        var one = RandomPeer(BLIPConnection(limits: limits, compression: compression), requests: 500)
        var other = RandomPeer(BLIPConnection(limits: limits, compression: compression), requests: 500)
        var toOther: [[UInt8]] = []
        var toOne: [[UInt8]] = []
        var idleRounds = 0
        while idleRounds < 50 {
            let before = one.progress + other.progress
            one.act(&random)
            other.act(&random)
            Self.move(from: one.connection, &toOther, &random)
            Self.move(from: other.connection, &toOne, &random)
            for frame in Self.some(of: &toOther, &random) {
                try other.receive(frame)
            }
            for frame in Self.some(of: &toOne, &random) {
                try one.receive(frame)
            }
            idleRounds = before == one.progress + other.progress && toOther.isEmpty && toOne.isEmpty ? idleRounds + 1 : 0
        }
        one.expectDone()
        other.expectDone()
        #expect(one.receivedRequests == other.sentRequests)
        #expect(other.receivedRequests == one.sentRequests)
        #expect(one.receivedRequests.count == 500)
    }

    private static func move(from connection: BLIPConnection, _ wire: inout [[UInt8]], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            guard let frame = connection.nextFrame() else { return }
            wire.append(frame)
        }
    }

    private static func some(of wire: inout [[UInt8]], _ random: inout SeededGenerator) -> [[UInt8]] {
        let count = Int.random(in: 0...8, using: &random)
        defer { wire = Array(wire.dropFirst(count)) }
        return Array(wire.prefix(count))
    }
}
