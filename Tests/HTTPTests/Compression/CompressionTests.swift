import Compression
import HTTP
import NIOCore
import TestSupport
import Testing

@Suite("Compression", .timeLimit(.minutes(5)))
struct CompressionTests {
    private let sample = Array(String(repeating: "{\"id\":\"order::17\",\"rev\":\"1-abc\"},", count: 400).utf8)

    private func inflate(_ bytes: [UInt8], maximumSize: Int = 1 << 24) throws -> [UInt8] {
        let inflater = try Inflater(maximumSize: maximumSize)
        let output = try inflater.write(ByteBuffer(bytes: bytes))
        try inflater.finish()
        return Array(output.readableBytesView)
    }

    @Test("Deflated bytes are inflated to the same bytes", arguments: [0, 1, 100, 13_000, 1_000_000])
    func roundTrip(size: Int) throws {
        var generator = SeededGenerator(seed: UInt64(size))
        let bytes = (0..<size).map { _ in UInt8.random(in: 0...15, using: &generator) }
        let deflater = try Deflater()
        var compressed = deflater.write(Array(bytes.prefix(size / 2)), flush: .none)
        compressed += deflater.write(Array(bytes.dropFirst(size / 2)), flush: .finish)
        let inflater = try Inflater(maximumSize: size)
        var output = ByteBuffer()
        for byte in compressed { try [byte].withUnsafeBytes { try inflater.write($0, to: &output) } }
        try inflater.finish()
        #expect(Array(output.readableBytesView) == bytes)
    }

    @Test("One stream over several messages ends each message in 00 00 FF FF, readable at once")
    func messages() throws {
        let deflater = try Deflater()
        let inflater = try Inflater(maximumSize: 1 << 20)
        for number in 0..<20 {
            let message = Array("[{\"seq\":\(number)}]".utf8)
            let compressed = deflater.write(message, flush: .sync)
            #expect(compressed.suffix(4) == [0, 0, 0xFF, 0xFF])
            #expect(compressed.starts(with: [0x1F, 0x8B]) == (number == 0))
            #expect(Array(try inflater.write(ByteBuffer(bytes: compressed)).readableBytesView) == message)
        }
        #expect(!inflater.isFinished)
    }

    @Test("A compression bomb is stopped at the limit")
    func bomb() throws {
        let deflater = try Deflater(level: 9)
        let bomb = deflater.write([UInt8](repeating: 0, count: 50 << 20), flush: .finish)
        #expect(bomb.count < 100_000)
        #expect { try inflate(bomb, maximumSize: 1 << 20) } throws: { ($0 as? CompressionError)?.code == .tooLarge }
    }

    @Test("Damage, a truncated end and bytes after the end are errors")
    func damage() throws {
        let good = try Deflater().write(sample, flush: .finish)
        #expect { try inflate(Array(good.dropLast())) } throws: { ($0 as? CompressionError)?.code == .truncated }
        #expect { try inflate(good + [0]) } throws: { ($0 as? CompressionError)?.code == .corrupt }
        #expect { try inflate([1, 2, 3]) } throws: { ($0 as? CompressionError)?.code == .corrupt }
        var flipped = good
        flipped[good.count - 6] ^= 1
        #expect { try inflate(flipped) } throws: { ($0 as? CompressionError)?.code == .corrupt }
        let inflater = try Inflater(maximumSize: 1 << 20)
        _ = try inflater.write(ByteBuffer(bytes: good))
        #expect(throws: CompressionError.self) { try inflater.write(ByteBuffer(bytes: good)) }
    }
}
