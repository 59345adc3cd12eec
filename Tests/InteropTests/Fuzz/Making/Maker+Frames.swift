import BLIP
import TestSupport

extension Maker {
    /// A whole binary message of this side.
    func frame(_ payload: [UInt8]) -> [UInt8] { frame(0x82, payload) }

    func frame(_ first: UInt8, _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
        RawWebSocket.frame(first, payload, length: length, isMasked: isMasked)
    }

    /// WebSocket frames that violate its rules, or BLIP's, or nearly: made from valid ones.
    mutating func brokenFrames(of right: [[UInt8]]) -> [UInt8] {
        let whole = right.isEmpty ? [1, 0, 1, 2, 3, 4, 5] : random.pick(right)
        switch random.number(0...11) {
        case 0:
            var damaged = whole
            damage(&damaged)
            return frame(damaged)
        // The first byte has the opcode, the end of the message and reserved bits.
        case 1: return frame(UInt8(random.number(0...255)), Array(whole.prefix(random.number(0...200))))
        case 2:
            return frame(
                0x82, whole, length: random.pick([0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20, (1 << 20) + 1, 1 << 40, .max]))
        case 3: return RawWebSocket.frame(0x82, whole, isMasked: !isMasked)
        case 4: return [0x82, 0xff] + [UInt8](repeating: 0xff, count: random.number(0...20))
        case 5: return fragments(of: whole)
        case 6:
            return frame(
                0x88,
                random.pick([[], [3], [3, 0xe8], [3, 0xed], [0xff, 0xff], [0, 0], [3, 0xe8, 0xff], [UInt8](repeating: 3, count: 126)]))
        case 7: return (0..<random.number(1...200)).flatMap { _ in frame(random.pick([0x89, 0x8a]), [1, 2]) }
        case 8:
            return frame(
                number() + [UInt8(random.number(0...255))] + (0..<random.number(0...30)).map { _ in UInt8(random.number(0...255)) })
        // Acknowledgements: of unknown messages, and of more than was sent.
        case 9: return frame(number() + [random.pick([4, 5, 0x2c, 0x35])] + number())
        // A compressed frame with more content than allowed, or none.
        case 10:
            return frame(
                [random.pick([1, 2, 100]), random.pick([0x08, 0x48, 0x49]), 0xed, 0xc1, 1, 1, 0, 0, 0]
                    + [UInt8](repeating: UInt8(random.number(0...255)), count: random.number(0...3_000)))
        default: return right.flatMap { self.frame($0) }.dropLast(random.number(1...20))
        }
    }

    /// The WebSocket frames of a client with a faulty connection: some messages in between may be valid, so that others are in progress.
    mutating func wrongConnection() -> [[UInt8]] {
        if random.once(in: 12) { return unfinished() }
        var stream = FrameStream()
        var next = 1
        return (0..<random.number(1...14)).map { _ -> [UInt8] in
            let payload = FrameStream.payload(message(isNamed: false))
            let number = FrameStream.number(next)
            switch random.number(0...11) {
            case 0...3:
                next += 1
                return frame(stream.frame(number, 0, payload))
            // Messages without an end, many at a time.
            case 4, 5:
                return (0..<random.number(1...60)).flatMap { _ -> [UInt8] in
                    defer { next += 1 }
                    return frame(
                        stream.frame(
                            FrameStream.number(next), 0x40, payload + [UInt8](repeating: 0x20, count: random.pick([0, 10, 10_000]))))
                }
            case 6: return frame(stream.frame(self.number(), random.pick([0, 0x40, 0x20]), payload))
            case 7:
                return frame(stream.frame(FrameStream.number(random.number(0...next)), UInt8(random.number(0...255)), payload))
            case 8: return frame(stream.frame(number, 0, properties()))
            case 9: return frame(stream.frame(number, random.pick([1, 2, 4, 5, 0x41, 0x0c]), self.number()))
            case 10: return frame(stream.frame(number, 0, Array(payload.prefix(random.number(0...payload.count)))))
            default: return brokenFrames(of: [stream.frame(number, 0, payload)])
            }
        }
    }

    /// Invalid blocks of properties: too long, without an end, not UTF-8, with duplicates, too many.
    private mutating func properties() -> [UInt8] {
        let many = (0..<200).map { "k\($0)\u{0}v\u{0}" }.joined()
        let texts = [
            "Profile\u{0}", "Profile", "\u{0}", "\u{0}\u{0}", "Profile\u{0}rev\u{0}id\u{0}a\u{0}id\u{0}b\u{0}", "Profile\u{0}PING", many,
            "\u{1}\u{0}\u{2}\u{0}",
        ]
        let block = random.once(in: 3) ? random.pick(Boundaries.unfit) + [0, 0x61, 0] : Array(random.pick(texts).utf8)
        return random.pick([FrameStream.number(block.count), FrameStream.number(block.count + 1), FrameStream.number(.max), number(), []])
            + block
    }

    /// Compressed frames of an endless message: few bytes on the wire, many in memory.
    private mutating func unfinished() -> [[UInt8]] {
        let connection = BLIPConnection()
        let noise = (0..<40_000).map { _ in UInt8(random.number(0...255)) }
        for _ in 0..<random.number(1...3) {
            let body = [UInt8](repeating: 0x20, count: random.pick([100_000, 2_000_000, 8_000_000])) + noise
            _ = try? connection.send(request: .request("rev", properties: ["id": "x", "rev": "1-a"], body: body, isCompressed: true))
        }
        var frames: [[UInt8]] = []
        while let payload = connection.nextFrame() { frames.append(frame(payload)) }
        return frames.dropLast(random.number(1...2))
    }

    /// A number of 7 bits a byte, as in BLIP: valid ones and endless ones.
    private mutating func number() -> [UInt8] {
        random.pick([
            [0], [1], [2], [0x7f], [0x80, 1], [0xff, 0x7f], [0x80, 0x80, 0], [UInt8](repeating: 0xff, count: 9) + [1],
            [UInt8](repeating: 0xff, count: 9) + [0x7f],
            [UInt8](repeating: 0xff, count: 8) + [0x7f], [UInt8](repeating: 0x80, count: 12), [],
        ])
    }

    private mutating func fragments(of whole: [UInt8]) -> [UInt8] {
        var bytes = frame(random.pick([0x02, 0x01, 0x00]), Array(whole.prefix(2)))
        for _ in 0..<random.number(0...40) { bytes += frame(random.pick([0x00, 0x00, 0x89, 0x02]), [0x61]) }
        return bytes + frame(random.pick([0x80, 0x82]), Array(whole.dropFirst(2)))
    }
}
