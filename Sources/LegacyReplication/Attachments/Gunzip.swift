import HTTP
import NIOCore

/// Decompresses what stands compressed within a body.
enum Gunzip {
    /// - Throws: ``LegacyError`` if the bytes are damaged, cut off, or hold more than `limit` bytes.
    static func decode(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
        do {
            let inflater = try Inflater(maximumSize: limit)
            let output = try inflater.write(ByteBuffer(bytes: bytes))
            try inflater.finish()
            return Array(output.readableBytesView)
        } catch let error as CompressionError {
            throw LegacyError(error.code == .tooLarge ? .tooLarge : .badRequest, error.reason, cause: error)
        }
    }
}
