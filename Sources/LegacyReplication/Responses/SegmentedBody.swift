import Gateway
import HTTPTypes
import HummingbirdCore
import NIOCore
import Storage

/// The body of an answer: bytes that are at hand, and attachments that are read only while they are sent.
struct SegmentedBody: Sendable {
    enum Segment: Sendable, Equatable {
        case bytes([UInt8])
        case attachment(AttachmentRecord, Range<Int64>)
    }

    private(set) var segments: [Segment] = []
    private(set) var length: Int64 = 0

    /// Bytes that are being made, the next segment. Appending to it in place copies nothing.
    private var pending: [UInt8] = []

    init() {}

    /// Makes room for this many bytes, so that they are not copied time and again while they are appended.
    mutating func reserve(_ count: Int) {
        pending.reserveCapacity(pending.count + count)
    }

    /// Appends what `write` writes.
    mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
        let before = pending.count
        try write(&pending)
        length += Int64(pending.count - before)
    }

    mutating func append(_ attachment: AttachmentRecord) {
        append(attachment, range: 0..<attachment.length)
    }

    mutating func append(_ attachment: AttachmentRecord, range: Range<Int64>) {
        flush()
        segments.append(.attachment(attachment, range))
        length += Int64(range.count)
    }

    /// All segments, for whoever sends them otherwise than by ``write(to:from:chunkSize:)``.
    var allSegments: [Segment] {
        pending.isEmpty ? segments : segments + [.bytes(pending)]
    }

    private mutating func flush() {
        guard !pending.isEmpty else { return }
        segments.append(.bytes(pending))
        pending = []
    }

    /// Writes everything, an attachment in pieces of `chunkSize` bytes.
    func write(to writer: inout any ResponseBodyWriter, from keyspace: Keyspace, chunkSize: Int) async throws {
        for segment in segments {
            switch segment {
            case .bytes(let bytes): try await writer.write(ByteBuffer(bytes: bytes))
            case .attachment(let attachment, let range):
                var offset = range.lowerBound
                while offset < range.upperBound {
                    let count = Int(min(Int64(chunkSize), range.upperBound - offset))
                    let bytes = try await keyspace.bytes(of: attachment, from: offset, count: count)
                    guard !bytes.isEmpty else { throw LegacyError(.internalError, "The attachment \(attachment.digest) ends too early") }
                    try await writer.write(ByteBuffer(bytes: bytes))
                    offset += Int64(bytes.count)
                }
            }
        }
        if !pending.isEmpty { try await writer.write(ByteBuffer(bytes: pending)) }
    }

    /// An answer with this body and its length.
    func response(type: String, status: HTTPResponse.Status = .ok, for call: LegacyCall) -> Response {
        guard !segments.isEmpty else {
            return Response(status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: pending)))
        }
        let keyspace = call.keyspace
        let chunkSize = call.limits.chunkSize
        return .stream(type: type, status: status, length: Int(length)) { writer in
            try await write(to: &writer, from: keyspace, chunkSize: chunkSize)
            try await writer.finish(nil)
        }
    }
}
