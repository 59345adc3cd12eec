import Documents
import Gateway
import NIOCore
import Storage

/// The bytes of a body as they are sent, attachments read piece by piece.
struct AttachmentStream: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let segments: [SegmentedBody.Segment]
    let keyspace: Keyspace
    let chunkSize: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let stream: AttachmentStream
        var index = 0
        var offset: Int64 = 0

        mutating func next() async throws -> ByteBuffer? {
            while index < stream.segments.count {
                switch stream.segments[index] {
                case .bytes(let bytes):
                    index += 1
                    return ByteBuffer(bytes: bytes)
                case .attachment(let attachment, let range):
                    let start = range.lowerBound + offset
                    let count = Int(Swift.min(Int64(stream.chunkSize), range.upperBound - start))
                    guard count > 0 else {
                        index += 1
                        offset = 0
                        continue
                    }
                    let bytes = try await stream.keyspace.bytes(of: attachment, from: start, count: count)
                    guard !bytes.isEmpty else {
                        throw ReplicationError(.database, "The attachment \(attachment.digest) ends too early")
                    }
                    offset += Int64(bytes.count)
                    return ByteBuffer(bytes: bytes)
                }
            }
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: self)
    }
}
