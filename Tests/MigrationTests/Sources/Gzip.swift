import Compression

/// Compresses in one go.
enum Gzip {
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        guard let stream = try? DeflateStream(.gzip, level: 6) else { return [] }
        return bytes.withUnsafeBytes { buffer in
            var input = buffer
            // What noise takes more than its own size, and the frame.
            return [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 100 + 1024) { room, count in
                count = stream.compress(&input, into: UnsafeMutableRawBufferPointer(room), flush: .finish)
            }
        }
    }
}
