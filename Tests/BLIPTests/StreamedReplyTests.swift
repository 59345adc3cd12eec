import TestSupport
import Testing

@testable import BLIP

@Suite("Streamed replies")
struct StreamedReplyTests {
    @Test("A large body is transferred with constant memory on both sides", arguments: [true, false])
    func constantMemory(isCompressed: Bool) throws {
        let pair = Pair()
        let number = try pair.ask(streamsReply: true)
        #expect(
            try pair.server.begin(
                reply: .reply(to: number, properties: ["a": "b"], isCompressed: isCompressed)))
        var sender = SeededGenerator(seed: 5)
        var receiver = StreamCheck(seed: 5)
        var left = 60
        var held = 0
        while !receiver.isComplete {
            for hungry in pair.server.repliesNeedingData {
                left -= 1
                pair.server.append(sender.bytes(65_536), toReply: hungry)
                if left == 0 {
                    #expect(pair.server.finishReply(hungry))
                }
            }
            #expect(pair.server.queuedBytes < 140_000)
            for event in try pair.exchange().client {
                let part = try #require(event.part)
                #expect(part.properties == ["a": "b"])
                held = max(held, pair.client.bufferedBytes)
                try receiver.take(part)
                pair.client.acknowledge(part)
            }
        }
        #expect(receiver.count == 60 * 65_536)
        #expect(held < 2_000_000)
        #expect(pair.client.bufferedBytes == 0)
        #expect(pair.client.awaitedReplies == 0)
        #expect(pair.server.queuedBytes == 0)
        #expect(pair.server.repliesNeedingData.isEmpty)
    }

    @Test("A consumer that takes nothing stops the sender")
    func backpressure() throws {
        let pair = Pair()
        let number = try pair.ask(streamsReply: true)
        _ = try pair.server.begin(reply: .reply(to: number))
        pair.server.append([UInt8](repeating: 1, count: 1_000_000), toReply: number)
        pair.server.finishReply(number)
        var parts = try pair.exchange().client.compactMap(\.part)
        let held = parts.reduce(0) { $0 + $1.bytes.count }
        #expect(held >= 127_000 && held < 145_000)
        #expect(pair.client.bufferedBytes >= held)
        #expect(try pair.exchange().client.isEmpty)
        var total = 0
        while !parts.isEmpty {
            for part in parts {
                total += part.bytes.count
                pair.client.acknowledge(part)
            }
            parts = try pair.exchange().client.compactMap(\.part)
        }
        #expect(total == 1_000_000)
        #expect(pair.client.bufferedBytes == 0)
        #expect(pair.client.awaitedReplies == 0)
    }

    @Test("Small and empty bodies arrive as one part", arguments: [0, 1, 1_000])
    func small(size: Int) throws {
        let pair = Pair()
        let number = try pair.ask(streamsReply: true)
        try pair.server.send(reply: .reply(to: number, body: [UInt8](repeating: 9, count: size)))
        let part = try #require(pair.exchange().client.first?.part)
        #expect(part.isFirst && part.isLast)
        #expect(part.bytes.count == size)
        pair.client.acknowledge(part)
        pair.client.acknowledge(part)
        #expect(pair.client.bufferedBytes == 0)
        #expect(pair.client.awaitedReplies == 0)
    }

    @Test("An empty streamed body arrives")
    func emptyBegun() throws {
        let pair = Pair()
        let number = try pair.ask()
        #expect(try pair.server.begin(reply: .reply(to: number)))
        #expect(pair.server.nextFrame() == nil)
        #expect(pair.server.finishReply(number))
        #expect(!pair.server.finishReply(number))
        #expect(!pair.server.append([1], toReply: number))
        #expect(try pair.exchange().client == [.reply(.reply(to: number))])
    }

    @Test("An error reply arrives as a whole")
    func error() throws {
        let pair = Pair()
        let number = try pair.ask(streamsReply: true)
        let error = BLIPMessage.error(to: number, code: 404, message: "no such attachment")
        try pair.server.send(reply: error)
        let event = try #require(pair.exchange().client.first)
        #expect(event == .reply(error))
        #expect(event.message?.errorDomain == "HTTP")
        #expect(event.message?.errorCode == 404)
        #expect(event.message?.errorMessage == "no such attachment")
        #expect(pair.client.awaitedReplies == 0)
    }

    @Test("A discarded reply ends without events", arguments: [0, 1, 5])
    func discard(after count: Int) throws {
        let pair = Pair()
        let number = try pair.ask(streamsReply: true)
        try pair.server.send(reply: .reply(to: number, body: [UInt8](repeating: 9, count: 1_000_000)))
        for _ in 0..<count {
            #expect(try pair.client.receive(#require(pair.server.nextFrame())) != nil)
        }
        pair.client.discardReply(to: number)
        #expect(try pair.exchange().client.isEmpty)
        #expect(pair.client.bufferedBytes == 0)
        #expect(pair.client.awaitedReplies == 0)
        #expect(pair.server.queuedBytes == 0)
    }

    @Test("Properties of several frames arrive with the first part")
    func longProperties() throws {
        let pair = Pair()
        let number = try pair.ask(streamsReply: true)
        let properties: BLIPProperties = ["k": String(repeating: "v", count: 50_000)]
        try pair.server.send(reply: .reply(to: number, properties: properties, body: [UInt8](repeating: 3, count: 50_000)))
        let parts = try pair.exchange().client.compactMap(\.part)
        #expect(parts.first?.properties == properties)
        #expect(parts.filter(\.isFirst).count == 1)
        #expect(parts.last?.isLast == true)
        #expect(parts.reduce(0) { $0 + $1.bytes.count } == 50_000)
        parts.forEach(pair.client.acknowledge)
        #expect(pair.client.bufferedBytes == 0)
    }

    @Test("A streamed reply may be longer than the limit of other messages")
    func beyondLimit() throws {
        var limits = BLIPLimits()
        limits.maxBodySize = 20_000
        let pair = Pair(limits: limits)
        let number = try pair.ask(streamsReply: true)
        try pair.server.send(reply: .reply(to: number, body: [UInt8](repeating: 3, count: 100_000)))
        #expect(try pair.exchange().client.compactMap(\.part).reduce(0) { $0 + $1.bytes.count } == 100_000)
    }
}

/// Compares the received bytes with those of a generator with the same seed.
private struct StreamCheck {
    private var random: SeededGenerator
    private var expected: [UInt8] = []
    private(set) var count = 0
    private(set) var isComplete = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func take(_ part: BLIPReplyPart) throws {
        while expected.count < part.bytes.count {
            expected += random.bytes(65_536)
        }
        try #require(expected.prefix(part.bytes.count).elementsEqual(part.bytes))
        expected.removeFirst(part.bytes.count)
        count += part.bytes.count
        isComplete = part.isLast
    }
}
