import Documents
import Gateway
import NIOCore
import Storage

/// The bytes of a body as they are sent, attachments read piece by piece.
struct SegmentStream: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let segments: [SegmentedBody.Segment]
    let keyspace: Keyspace
    let chunkSize: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let stream: SegmentStream
        var index = 0
        var offset: Int64 = 0

        mutating func next() async throws -> ByteBuffer? {
            while index < stream.segments.count {
                let piece: ByteBuffer?
                switch stream.segments[index] {
                case .bytes(let bytes):
                    index += 1
                    return ByteBuffer(bytes: bytes)
                case .attachment(let attachment, let range):
                    piece = try await read(attachment, range, atMost: stream.chunkSize).map { ByteBuffer(bytes: $0) }
                case .base64(let attachment):
                    piece = try await encoded(attachment)
                }
                if let piece { return piece }
                index += 1
                offset = 0
            }
            return nil
        }

        /// The next piece; `nil` at the end of the range.
        private mutating func read(_ attachment: AttachmentRecord, _ range: Range<Int64>, atMost limit: Int) async throws -> [UInt8]? {
            let start = range.lowerBound + offset
            let count = Int(Swift.min(Int64(limit), range.upperBound - start))
            guard count > 0 else { return nil }
            let bytes = try await stream.keyspace.bytes(of: attachment, from: start, count: count)
            guard !bytes.isEmpty else { throw LegacyError(.internalError, "The attachment \(attachment.digest) ends too early") }
            offset += Int64(bytes.count)
            return bytes
        }

        /// The next piece in base64. Groups of three bytes stay whole, so that there is no padding but at the end.
        private mutating func encoded(_ attachment: AttachmentRecord) async throws -> ByteBuffer? {
            let size = Swift.max(3, stream.chunkSize / 3 * 3)
            var bytes: [UInt8] = []
            while bytes.isEmpty || bytes.count % 3 != 0 {
                guard let more = try await read(attachment, 0..<attachment.length, atMost: size - bytes.count) else { break }
                bytes += more
            }
            guard !bytes.isEmpty else { return nil }
            var text: [UInt8] = []
            Base64.append(bytes, to: &text)
            return ByteBuffer(bytes: text)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: self)
    }
}
