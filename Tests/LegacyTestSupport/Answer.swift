package import Documents
package import HTTP
package import HTTPTypes
package import HummingbirdCore
package import NIOCore

/// A response as its client received it.
package struct Answer: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let bytes: [UInt8]

    package init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers
        let sink = Sink()
        try await response.body.write(SinkWriter(sink: sink))
        bytes = await sink.bytes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var json: JSONValue {
        get throws { try JSONValue(bytes) }
    }

    /// The parts of a multipart response.
    package var parts: [Part] {
        get throws { try Part.parse(bytes, contentType: headers[.contentType] ?? "") }
    }
}

/// One part of a multipart body.
package struct Part: Sendable {
    package let headers: PartHeaders
    package let bytes: [UInt8]

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var json: JSONValue {
        get throws { try JSONValue(bytes) }
    }

    /// The parts within it.
    package var parts: [Part] {
        get throws { try Self.parse(bytes, contentType: headers["Content-Type"] ?? "") }
    }

    package static func parse(_ bytes: [UInt8], contentType: String) throws -> [Part] {
        var parser = MultipartParser(boundary: try MultipartBoundary(contentType: MediaType(contentType)))
        var parts: [Part] = []
        var headers: PartHeaders?
        var body: [UInt8] = []
        for event in try parser.consume(bytes) {
            switch event {
            case .partBegan(let found): (headers, body) = (found, [])
            case .partBody(let piece): body += piece
            case .partEnded: if let headers { parts.append(Part(headers: headers, bytes: body)) }
            case .finished: break
            }
        }
        try parser.finish()
        return parts
    }
}

/// The destination of a body, piece by piece.
package actor Sink {
    package private(set) var bytes: [UInt8] = []
    package private(set) var isFinished = false
    private var waiters: [(condition: @Sendable ([UInt8], Bool) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package init() {}

    package func write(_ piece: [UInt8]) {
        bytes += piece
        wake()
    }

    package func finish() {
        isFinished = true
        wake()
    }

    /// Waits until the received bytes fulfil a condition.
    package func wait(until condition: @escaping @Sendable (_ bytes: [UInt8], _ isFinished: Bool) -> Bool) async {
        if condition(bytes, isFinished) { return }
        await withCheckedContinuation { waiters.append((condition, $0)) }
    }

    /// Waits until a text has been received.
    package func wait(for text: String) async {
        await wait { bytes, _ in String(decoding: bytes, as: UTF8.self).contains(text) }
    }

    private func wake() {
        let (done, rest) = (waiters.filter { $0.condition(bytes, isFinished) }, waiters.filter { !$0.condition(bytes, isFinished) })
        waiters = rest
        for waiter in done { waiter.continuation.resume() }
    }
}

package struct SinkWriter: ResponseBodyWriter {
    package let sink: Sink

    package init(sink: Sink) {
        self.sink = sink
    }

    package func write(_ buffer: ByteBuffer) async throws {
        await sink.write(Array(buffer.readableBytesView))
    }

    package consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        await sink.finish()
    }
}
