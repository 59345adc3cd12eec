import Compression

/// Compresses in one step.
enum Gzip {
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        guard let stream = try? DeflateStream(.gzip, level: 6) else { return [] }
        return bytes.withUnsafeBytes { buffer in
            var input = buffer
            // The overhead of incompressible data, and the frame.
            return [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 100 + 1024) { room, count in
                count = stream.compress(&input, into: UnsafeMutableRawBufferPointer(room), flush: .finish)
            }
        }
    }
}
