import TestSupport
import Testing

@testable import BLIP

/// Two connections over a line that loses, repeats, swaps, cuts and damages frames, and forges acknowledgements.
struct LossyLine {
    /// One of `damageRate` frames does not arrive as it was sent.
    private static let damageRate = 40

    let ends: [BLIPConnection]

    /// Frames in transit to each end.
    private var wires: [[[UInt8]]] = [[], []]

    /// The requests that each end has sent, by number.
    private var sent: [[UInt64: [UInt8]]] = [[:], [:]]

    /// The requests to which each end has not replied.
    private var toAnswer: [[UInt64]] = [[], []]

    init(_ limits: BLIPLimits) {
        ends = [BLIPConnection(limits: limits), BLIPConnection(limits: limits, compression: BLIPCompression(level: 1, windowBits: 12))]
    }

    var isOpen: Bool { ends.allSatisfy { $0.failure == nil } }

    /// Runs a random step at both ends.
    ///
    /// - Returns: The number of frames that arrived.
    mutating func step(_ random: inout SeededGenerator) -> Int {
        var arrived = 0
        for index in 0...1 {
            act(index, &random)
            while wires[1 - index].count < 12, let frame = ends[index].nextFrame() { wires[1 - index].append(frame) }
            let count = Int.random(in: 0...wires[index].count, using: &random)
            if count > 1, random.once(in: Self.damageRate) { wires[index].swapAt(0, 1) }
            for frame in wires[index].prefix(count) where ends[index].failure == nil {
                for frame in damaged(frame, &random) {
                    arrived += 1
                    take(try? ends[index].receive(frame), index, &random)
                }
            }
            wires[index].removeFirst(count)
        }
        return arrived
    }

    private mutating func act(_ index: Int, _ random: inout SeededGenerator) {
        let end = ends[index]
        if end.queuedBytes < 150_000, !random.once(in: 3) {
            let body = random.bytes(
                random.once(in: 10) ? Int.random(in: 0...40_000, using: &random) : Int.random(in: 0...200, using: &random))
            let request = BLIPMessage.request(
                "ask", properties: ["key": "value"], body: body, isUrgent: random.once(in: 4), noReply: random.once(in: 4),
                isCompressed: random.once(in: 2))
            if let number = try? end.send(request: request, streamsReply: random.once(in: 2)) { sent[index][number] = body }
        }
        while !toAnswer[index].isEmpty, random.once(in: 2) {
            let number = toAnswer[index].removeFirst()
            let body = random.bytes(random.once(in: 6) ? 45_000 : 60, compressible: false)
            if random.once(in: 2) {
                _ = try? end.begin(reply: .reply(to: number, isCompressed: random.once(in: 2)))
            } else {
                _ = try? end.send(reply: .reply(to: number, body: body, isCompressed: random.once(in: 2)))
            }
        }
        for number in end.repliesNeedingData {
            end.append(random.bytes(Int.random(in: 0...20_000, using: &random), compressible: false), toReply: number)
            if random.once(in: 8) { end.finishReply(number) }
        }
    }

    private mutating func take(_ event: BLIPEvent?, _ index: Int, _ random: inout SeededGenerator) {
        switch event {
        case .request(let request):
            // An accepted frame arrives as it was sent.
            #expect(request.body == sent[1 - index][request.number])
            if !request.noReply { toAnswer[index].append(request.number) }
        case .replyPart(let part):
            if random.once(in: 50) { ends[index].discardReply(to: part.number) } else { ends[index].acknowledge(part) }
        case .reply, nil: break
        }
    }

    private func damaged(_ frame: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
        guard random.once(in: Self.damageRate) else { return [frame] }
        var frame = frame
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return []
        case 1: return [frame, frame]
        case 2:
            var acknowledgement: [UInt8] = []
            FrameVarint.append(UInt64.random(in: 0...5, using: &random), to: &acknowledgement)
            acknowledgement.append(random.once(in: 2) ? 0x34 : 0x35)
            FrameVarint.append(random.once(in: 3) ? .max : UInt64.random(in: 0...200_000, using: &random), to: &acknowledgement)
            return [acknowledgement, frame]
        case 3: return [Array(frame.prefix(Int.random(in: 0..<frame.count, using: &random)))]
        default:
            // Not in the header, which the checksum does not include.
            guard frame.count > 4 else { return [frame] }
            frame[Int.random(in: 4..<frame.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return [frame]
        }
    }
}
