import Documents
package import Gateway
package import NIOCore
package import Storage

/// A body of bytes in memory, and of attachments that are read while they are sent.
package struct SegmentedBody: Sendable {
    package enum Segment: Sendable, Equatable {
        case bytes([UInt8])

        /// Many bytes, which other bodies may have as well.
        case shared(SharedBytes)
        case attachment(AttachmentRecord, Range<Int64>)

        /// A whole attachment in base64.
        case base64(AttachmentRecord)
    }

    package private(set) var segments: [Segment] = []
    package private(set) var length: Int64 = 0

    /// The bytes of the next segment. They can be appended to in place without copying.
    package private(set) var pending: [UInt8] = []

    package init() {}

    /// Reserves room for this many bytes, to avoid repeated copying while they are appended.
    package mutating func reserve(_ count: Int) {
        pending.reserveCapacity(pending.count + count)
    }

    /// Appends the bytes that `write` appends.
    package mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
        let before = pending.count
        try write(&pending)
        length += Int64(pending.count - before)
    }

    package mutating func append(_ bytes: SharedBytes) {
        flush()
        segments.append(.shared(bytes))
        length += Int64(bytes.bytes.count)
    }

    package mutating func append(_ attachment: AttachmentRecord) {
        append(attachment, range: 0..<attachment.length)
    }

    package mutating func append(_ attachment: AttachmentRecord, range: Range<Int64>) {
        flush()
        segments.append(.attachment(attachment, range))
        length += Int64(range.count)
    }

    /// All segments, including the pending bytes.
    package var allSegments: [Segment] {
        pending.isEmpty ? segments : segments + [.bytes(pending)]
    }

    /// Appends an attachment in base64.
    package mutating func append(base64 attachment: AttachmentRecord) {
        flush()
        segments.append(.base64(attachment))
        length += (attachment.length + 2) / 3 * 4
    }

    /// Appends another body.
    package mutating func append(_ other: SegmentedBody) {
        for segment in other.segments {
            switch segment {
            case .bytes(let bytes): append { $0 += bytes }
            case .shared(let shared): append(shared)
            case .attachment(let attachment, let range): append(attachment, range: range)
            case .base64(let attachment): append(base64: attachment)
            }
        }
        append { $0 += other.pending }
    }

    package var isEmpty: Bool { length == 0 }

    /// The bytes of a body that has no attachments to be read later.
    package var bytesAtHand: [UInt8] {
        segments.reduce(into: []) { all, segment in
            switch segment {
            case .bytes(let bytes): all += bytes
            case .shared(let shared): all += shared.bytes
            case .attachment, .base64: break
            }
        } + pending
    }

    /// The same JSON with line breaks replaced by spaces. Strings contain no line breaks, because these are escaped.
    package var onOneLine: SegmentedBody {
        var line = self
        line.pending = Self.onOneLine(pending)
        line.segments = segments.map { segment in
            switch segment {
            case .bytes(let bytes): .bytes(Self.onOneLine(bytes))
            case .shared(let shared): .bytes(Self.onOneLine(shared.bytes))
            case .attachment, .base64: segment
            }
        }
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
}

/// Bytes that several bodies have.
package final class SharedBytes: Sendable, Equatable {
    package let bytes: [UInt8]

    /// Lives as long as the bytes.
    private let companion: any Sendable

    package init(_ bytes: [UInt8], holding companion: any Sendable) {
        self.bytes = bytes
        self.companion = companion
    }

    package static func == (one: SharedBytes, other: SharedBytes) -> Bool { one === other || one.bytes == other.bytes }
}

/// The bytes of a body in chunks; attachments are read while they are sent.
package struct SegmentStream: AsyncSequence, Sendable {
    package typealias Element = ByteBuffer

    let segments: [SegmentedBody.Segment]
    let keyspace: Keyspace
    let chunkSize: Int

    package init(segments: [SegmentedBody.Segment], keyspace: Keyspace, chunkSize: Int) {
        self.segments = segments
        self.keyspace = keyspace
        self.chunkSize = chunkSize
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        let stream: SegmentStream
        var index = 0
        var offset: Int64 = 0

        package mutating func next() async throws -> ByteBuffer? {
            while index < stream.segments.count {
                let piece: ByteBuffer?
                switch stream.segments[index] {
                case .bytes(let bytes):
                    index += 1
                    return ByteBuffer(bytes: bytes)
                case .shared(let shared):
                    piece = next(of: shared.bytes)
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

        /// The next chunk; `nil` at the end.
        private mutating func next(of bytes: [UInt8]) -> ByteBuffer? {
            let rest = bytes.dropFirst(Int(offset)).prefix(stream.chunkSize)
            offset += Int64(rest.count)
            return rest.isEmpty ? nil : ByteBuffer(bytes: rest)
        }

        /// The next chunk; `nil` at the end of the range.
        private mutating func read(_ attachment: AttachmentRecord, _ range: Range<Int64>, atMost limit: Int) async throws -> [UInt8]? {
            let start = range.lowerBound + offset
            let count = Int(Swift.min(Int64(limit), range.upperBound - start))
            guard count > 0 else { return nil }
            let bytes = try await stream.keyspace.bytes(of: attachment, from: start, count: count)
            guard !bytes.isEmpty else { throw LegacyError(.internalError, "The attachment \(attachment.digest) ends too early") }
            offset += Int64(bytes.count)
            return bytes
        }

        /// The next chunk in base64. Groups of three bytes are not split, so that padding occurs only at the end.
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

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: self)
    }
}
