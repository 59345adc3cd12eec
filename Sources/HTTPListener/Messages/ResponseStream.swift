import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Writes one response's head and body to a connection.
///
/// If the body does not match the announced framing, the response fails, so that a client cannot mistake a truncated body for a complete one.
final class ResponseStream {
    private let pipe: OutboundBuffer
    private let framing: ResponseFraming
    /// Bytes to write with the next part of the body: the head at first.
    private var held: ByteBuffer
    private var remaining: Int
    /// Whether the body has ended as announced.
    private(set) var isFinished = false

    init(pipe: OutboundBuffer, head: ByteBuffer, framing: ResponseFraming) throws {
        self.pipe = pipe
        self.framing = framing
        held = head
        remaining = if case .length(let length) = framing { length } else { 0 }
        // A feed's client must receive the head before the first row.
        if framing == .chunked || framing == .untilClose { try release() }
    }

    /// Whether the response has a body.
    var hasBody: Bool { if case .none = framing { false } else { true } }

    func write(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > 0, !isFinished else { return }
        switch framing {
        case .none: return
        case .length:
            guard buffer.readableBytes <= remaining else {
                throw RequestError(.invalidResponse, reason: "The body is longer than its Content-Length.")
            }
            remaining -= buffer.readableBytes
        case .chunked: held.writeString(String(buffer.readableBytes, radix: 16) + "\r\n")
        case .untilClose: break
        }
        if buffer.readableBytes <= 4096 {
            held.writeImmutableBuffer(buffer)
        } else {
            try release()
            try pipe.enqueue(buffer)
        }
        if framing == .chunked { held.writeStaticString("\r\n") }
        let bytes = held
        held = ByteBuffer()
        try await pipe.write(bytes)
    }

    func finish(_ trailers: HTTPFields?) throws {
        guard !isFinished else { return }
        guard remaining == 0 else {
            throw RequestError(.invalidResponse, reason: "The body is shorter than its Content-Length.")
        }
        isFinished = true
        if framing == .chunked {
            held.writeStaticString("0\r\n")
            for field in trailers ?? [:] { held.writeString("\(field.name.rawName): \(field.value)\r\n") }
            held.writeStaticString("\r\n")
        }
        try release()
    }

    private func release() throws {
        let bytes = held
        held = ByteBuffer()
        try pipe.enqueue(bytes)
    }
}

/// The interface of a ``ResponseStream`` for a route.
struct ResponseStreamWriter: ResponseBodyWriter {
    let stream: ResponseStream

    func write(_ buffer: ByteBuffer) async throws {
        try await stream.write(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try stream.finish(trailingHeaders)
    }
}
