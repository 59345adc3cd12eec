import TestSupport
import Testing

@testable import BLIP

/// Frames that no peer would send. Nothing may crash, and memory stays within the limits. `make fuzz` sends millions.
@Suite("Fuzz", .timeLimit(.minutes(600)))
struct FuzzTests {
    static let seeds = FuzzInputs.seed...FuzzInputs.seed + 3

    /// The number of frames for each of a test's seeds.
    private static func share(_ usual: Int) -> Int { max(usual, FuzzInputs.count / seeds.count) }

    private static let limits = {
        var limits = BLIPLimits()
        limits.maxBodySize = 50_000
        limits.maxBufferedBytes = 200_000
        limits.maxOpenMessages = 8
        limits.maxInflatedFrameSize = 60_000
        return limits
    }()

    @Test("Random bytes neither crash a connection nor exceed its limits", arguments: FuzzTests.seeds)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Self.share(25_000) {
            var frame = random.bytes(Int.random(in: 0...40, using: &random), compressible: false)
            if frame.count > 1, Bool.random(using: &random) {
                frame[0] = 1
                frame[1] &= 0x7F
            }
            let connection = connection()
            _ = try? connection.receive(frame)
            check(connection)
        }
    }

    @Test("Valid frames with a random byte, cut or repetition neither crash a connection nor exceed its limits", arguments: FuzzTests.seeds)
    func mutations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let frames = try conversation(&random)
        var count = 0
        while count < Self.share(6_000) {
            let connection = connection()
            let victim = Int.random(in: 0..<frames.count, using: &random)
            for (index, frame) in frames.enumerated() where connection.failure == nil {
                count += 1
                _ = try? connection.receive(index == victim ? mutate(frame, &random) : frame)
                check(connection)
            }
        }
    }

    @Test("Random payloads with right checksums neither crash a connection nor exceed its limits", arguments: FuzzTests.seeds)
    func framed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Self.share(30_000) / 20 {
            let connection = connection()
            var frames = FrameBuilder()
            var number: UInt64 = 1
            for _ in 0..<20 where connection.failure == nil {
                let flags = UInt8.random(in: 0...127, using: &random) & ~0x08
                var payload = random.bytes(Int.random(in: 0...30, using: &random), compressible: false)
                if !payload.isEmpty, Bool.random(using: &random) {
                    payload[0] = 0
                }
                let isReply = flags & 0x07 == 1 || flags & 0x07 == 2
                if let event = try? connection.receive(frames.frame(isReply ? 1 : number, flags, payload)) {
                    if case .replyPart(let part) = event, Bool.random(using: &random) {
                        connection.acknowledge(part)
                    }
                    _ = try? connection.send(reply: .reply(to: number))
                }
                number += flags & 0x47 == 0 ? 1 : 0
                _ = connection.nextFrame()
                check(connection)
            }
        }
    }

    @Test(
        "Conversations over a line that loses, repeats, swaps, cuts and damages frames end without a wrong message",
        arguments: FuzzTests.seeds)
    func lossy(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rest = Self.share(500)
        while rest > 0 {
            var line = LossyLine(Self.limits)
            while rest > 0, line.isOpen {
                rest -= max(1, line.step(&random))
                line.ends.forEach(check)
            }
        }
    }

    private func connection() -> BLIPConnection {
        let connection = BLIPConnection(limits: Self.limits)
        for number: UInt64 in 1...3 {
            connection.inbound.awaitReply(to: number, isStreamed: number == 1)
        }
        return connection
    }

    private func check(_ connection: BLIPConnection) {
        guard connection.failure == nil else { return }
        let isBounded =
            connection.bufferedBytes <= Self.limits.maxBufferedBytes && connection.bufferedBytes >= 0
            && connection.inbound.requests.count + connection.inbound.openReplies <= Self.limits.maxOpenMessages
        if !isBounded {
            Issue.record("holds \(connection.bufferedBytes) bytes")
        }
    }

    /// Messages of a peer to a connection of these tests.
    private func conversation(_ random: inout SeededGenerator) throws -> [[UInt8]] {
        let peer = BLIPConnection()
        for number: UInt64 in 1...3 {
            peer.inbound.addUnanswered(BLIPMessage(type: .request, number: number))
        }
        for number: UInt64 in 1...3 {
            let body = random.bytes(30_000, compressible: number == 2)
            try peer.send(reply: .reply(to: number, properties: ["rev": "0-1"], body: body, isCompressed: number != 3))
        }
        for _ in 0..<200 {
            let body = random.bytes(Int.random(in: 0...400, using: &random))
            _ = try peer.send(
                request: .request("rev", properties: ["id": "doc"], body: body, isCompressed: Bool.random(using: &random)))
        }
        var frames: [[UInt8]] = []
        while let frame = peer.nextFrame() {
            frames.append(frame)
        }
        return frames
    }

    private func mutate(_ frame: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var frame = frame
        let position = Int.random(in: 0..<frame.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: frame[position] = UInt8.random(in: 0...255, using: &random)
        case 1: frame.removeSubrange(position...)
        case 2: frame.insert(contentsOf: random.bytes(5), at: position)
        case 3: frame[min(1, frame.count - 1)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        default: frame += frame
        }
        return frame
    }
}
