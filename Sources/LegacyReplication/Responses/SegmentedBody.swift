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

        /// A whole attachment in base64.
        case base64(AttachmentRecord)
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

    /// Appends an attachment in base64.
    mutating func append(base64 attachment: AttachmentRecord) {
        flush()
        segments.append(.base64(attachment))
        length += (attachment.length + 2) / 3 * 4
    }

    /// Appends another body.
    mutating func append(_ other: SegmentedBody) {
        for segment in other.segments {
            switch segment {
            case .bytes(let bytes): append { $0 += bytes }
            case .attachment(let attachment, let range): append(attachment, range: range)
            case .base64(let attachment): append(base64: attachment)
            }
        }
        append { $0 += other.pending }
    }

    var isEmpty: Bool { length == 0 }

    /// The bytes of a body without attachments that are read later.
    var bytesAtHand: [UInt8] {
        segments.reduce(into: []) { if case .bytes(let bytes) = $1 { $0 += bytes } } + pending
    }

    /// The same with spaces for line breaks, for JSON: within texts there are none, they are escaped there.
    var onOneLine: SegmentedBody {
        var line = self
        line.pending = Self.onOneLine(pending)
        line.segments = segments.map { if case .bytes(let bytes) = $0 { .bytes(Self.onOneLine(bytes)) } else { $0 } }
        return line
    }

    private static func onOneLine(_ json: [UInt8]) -> [UInt8] {
        let breaks: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        guard json.contains(where: breaks.contains) else { return json }
        return json.map { breaks.contains($0) ? UInt8(ascii: " ") : $0 }
    }

    private mutating func flush() {
        guard !pending.isEmpty else { return }
        segments.append(.bytes(pending))
        pending = []
    }

    /// Writes everything, an attachment in pieces of `chunkSize` bytes.
    func write(to writer: inout any ResponseBodyWriter, from keyspace: Keyspace, chunkSize: Int) async throws {
        for try await piece in SegmentStream(segments: allSegments, keyspace: keyspace, chunkSize: chunkSize) {
            try await writer.write(piece)
        }
    }

    /// An answer with this body and its length.
    func response(
        type: String, status: HTTPResponse.Status = .ok, from keyspace: Keyspace, chunkSize: Int
    ) -> Response {
        guard !segments.isEmpty else {
            return Response(status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: pending)))
        }
        return .stream(type: type, status: status, length: Int(length)) { writer in
            try await write(to: &writer, from: keyspace, chunkSize: chunkSize)
            try await writer.finish(nil)
        }
    }

    func response(type: String, status: HTTPResponse.Status = .ok, for call: LegacyCall) -> Response {
        response(type: type, status: status, from: call.keyspace, chunkSize: call.limits.chunkSize)
    }
}
