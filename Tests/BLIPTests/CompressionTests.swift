import TestSupport
import Testing

@testable import BLIP

@Suite("Compression")
struct CompressionTests {
    @Test("Every compression setting is decoded", arguments: [1, 3, 6, 9], [0, 12, 13, 14, 15])
    func settings(level: Int, windowBits: Int) throws {
        let pair = Pair(compression: BLIPCompression(level: level, windowBits: windowBits))
        var random = SeededGenerator(seed: 1)
        for size in [0, 1, 63, 64, 300, 5_000, 16_384, 100_000] {
            for compressible in [true, false] {
                let body = random.bytes(size, compressible: compressible)
                _ = try pair.client.send(request: .request("put", body: body, noReply: true, isCompressed: true))
                var received: BLIPMessage?
                while let frame = pair.client.nextFrame() {
                    #expect(frame.count <= FrameSize.normal)
                    received = try pair.server.receive(frame)?.message
                }
                #expect(received?.body == body)
            }
        }
    }

    @Test("Repeated data is compressed across messages")
    func dictionary() throws {
        let pair = Pair()
        let body = SeededGenerator(seed: 2).text(600)
        var sizes: [Int] = []
        for _ in 0..<3 {
            _ = try pair.client.send(request: .request("put", body: body, noReply: true, isCompressed: true))
            let frame = try #require(pair.client.nextFrame())
            #expect(try pair.server.receive(frame)?.message?.body == body)
            sizes.append(frame.count)
        }
        #expect(sizes[1] < 40)
        #expect(sizes[1] < sizes[0] / 4)
    }

    @Test("Tiny frames, and all frames without compression, are sent as they are")
    func uncompressed() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("tiny", isCompressed: true))
        #expect(connection.nextFrame()?[1] == 0x00)
        let off = BLIPConnection(compression: .off)
        _ = try off.send(request: .request("put", body: [UInt8](repeating: 0, count: 300), isCompressed: true))
        #expect(off.nextFrame()?[1] == 0x00)
    }

    @Test("A connection with occasional short messages has no compressor, and one that has it compresses short messages")
    func beginning() throws {
        let connection = BLIPConnection()
        func isCompressed(_ size: Int) throws -> Bool {
            _ = try connection.send(request: .request("put", body: [UInt8](repeating: 1, count: size), isCompressed: true))
            return connection.nextFrame()?[1] == 0x08
        }
        for _ in 0..<10 { #expect(try !isCompressed(300)) }
        #expect(!connection.holdsMemory)
        #expect(try isCompressed(1_000) && isCompressed(300) && connection.holdsMemory)
        connection.releaseMemory()
        #expect(try !isCompressed(300))
    }

    @Test("A body that ends with a frame leaves no empty frame behind")
    func noEmptyLastFrame() throws {
        for size in 16_150...16_400 {
            for isCompressed in [false, true] {
                let connection = BLIPConnection()
                let body = [UInt8](repeating: 1, count: size)
                _ = try connection.send(request: .request("p", body: body, isCompressed: isCompressed))
                while let frame = connection.nextFrame() {
                    #expect(frame.count > 6)
                    #expect(frame.count <= FrameSize.normal)
                }
            }
        }
    }

    @Test("LiteCore's empty compressed last frame, and Sync Gateway's of one zero byte, are accepted", arguments: [[], [0]])
    func emptyCompressedFrame(wire: [UInt8]) throws {
        var frames = FrameBuilder()
        let connection = BLIPConnection()
        let deflater = try FrameDeflater(BLIPCompression())
        for number: UInt64 in 1...3 {
            let plain = FrameBuilder.message(["Profile": "rev"], Array("body \(number)".utf8))
            var compressed: [UInt8] = []
            try plain.withUnsafeBytes { try deflater.deflate($0, appendingTo: &compressed) }
            #expect(try connection.receive(frames.frame(number, 0x48, wire: compressed, plain: plain)) == nil)
            let message = try connection.receive(frames.frame(number, 0x08, wire: wire, plain: []))?.message
            #expect(message?.text == "body \(number)")
        }
    }

    @Test("Compressed and plain frames can alternate in one message")
    func mixed() throws {
        var frames = FrameBuilder()
        let connection = BLIPConnection()
        let deflater = try FrameDeflater(BLIPCompression())
        let head = FrameBuilder.message(["Profile": "rev"], Array("one ".utf8))
        #expect(try connection.receive(frames.frame(1, 0x40, head)) == nil)
        let plain = Array("two ".utf8)
        var compressed: [UInt8] = []
        try plain.withUnsafeBytes { try deflater.deflate($0, appendingTo: &compressed) }
        #expect(try connection.receive(frames.frame(1, 0x48, wire: compressed, plain: plain)) == nil)
        #expect(try connection.receive(frames.frame(1, 0x00, Array("three".utf8)))?.message?.text == "one two three")
    }

    @Test("A frame that inflates without end is refused")
    func bomb() throws {
        var limits = BLIPLimits()
        limits.maxInflatedFrameSize = 1 << 20
        let connection = BLIPConnection(limits: limits)
        let plain = FrameBuilder.message([:], [UInt8](repeating: 0, count: 50 << 20))
        let deflater = try FrameDeflater(BLIPCompression(level: 9))
        var compressed: [UInt8] = []
        try plain.withUnsafeBytes { try deflater.deflate($0, appendingTo: &compressed) }
        var frames = FrameBuilder()
        let frame = frames.frame(1, 0x08, wire: compressed, plain: plain)
        #expect(throws: Fault(.decompressionBomb)) { try faults { try connection.receive(frame) } }
    }

    @Test("A full frame of LiteCore's with 16 MB of zeroes is accepted")
    func compressibleBlob() throws {
        let connection = BLIPConnection()
        let plain = FrameBuilder.message([:], [UInt8](repeating: 0, count: 16 << 20))
        let deflater = try FrameDeflater(BLIPCompression(level: 6))
        var compressed: [UInt8] = []
        try plain.withUnsafeBytes { try deflater.deflate($0, appendingTo: &compressed) }
        var frames = FrameBuilder()
        let message = try connection.receive(frames.frame(1, 0x08, wire: compressed, plain: plain))?.message
        #expect(message?.body.count == 16 << 20)
    }

    @Test("Memory can be released at any time")
    func release() throws {
        let pair = Pair()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            let body = random.bytes(40_000)
            _ = try pair.client.send(request: .request("put", body: body, noReply: true, isCompressed: true))
            var received: BLIPMessage?
            while let frame = pair.client.nextFrame() {
                received = try pair.server.receive(frame)?.message
                #expect(pair.client.holdsMemory && pair.server.holdsMemory)
                pair.client.releaseMemory()
                pair.server.releaseMemory()
                #expect(!pair.client.holdsMemory && !pair.server.holdsMemory)
            }
            #expect(received?.body == body)
        }
    }

    @Test("A receiver that has released its memory continues with the peer's stream", arguments: [40, 3_000, 50_000])
    func releaseOfReceiver(size: Int) throws {
        let pair = Pair()
        var random = SeededGenerator(seed: 5)
        // Bytes that can be compressed only by the previous message.
        let part = random.bytes(size)
        for round in 0..<20 {
            let body = part + [UInt8(round)]
            _ = try pair.client.send(request: .request("put", body: body, noReply: true, isCompressed: true))
            var sent = 0
            var received: BLIPMessage?
            while let frame = pair.client.nextFrame() {
                sent += frame.count
                received = try pair.server.receive(frame)?.message ?? received
                pair.server.releaseMemory()
                #expect(!pair.server.holdsMemory)
            }
            #expect(received?.body == body)
            if round > 0, size == 3_000 { #expect(sent < size / 2) }
        }
    }
}

extension SeededGenerator {
    /// Some bytes from a copy of the generator.
    fileprivate func text(_ count: Int) -> [UInt8] {
        var copy = self
        return copy.bytes(count)
    }
}
