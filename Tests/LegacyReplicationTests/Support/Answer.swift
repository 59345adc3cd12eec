import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// An answer as its client has received it.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers
        let sink = Sink()
        try await response.body.write(SinkWriter(sink: sink))
        bytes = await sink.bytes
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var json: JSONValue {
        get throws { try JSONValue(bytes) }
    }

    /// The parts of a multipart answer.
    var parts: [Part] {
        get throws { try Part.parse(bytes, contentType: headers[.contentType] ?? "") }
    }
}

/// One part of a multipart body.
struct Part: Sendable {
    let headers: PartHeaders
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var json: JSONValue {
        get throws { try JSONValue(bytes) }
    }

    /// The parts within it.
    var parts: [Part] {
        get throws { try Self.parse(bytes, contentType: headers["Content-Type"] ?? "") }
    }

    static func parse(_ bytes: [UInt8], contentType: String) throws -> [Part] {
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

/// Where a body goes, piece by piece.
actor Sink {
    private(set) var bytes: [UInt8] = []
    private(set) var isFinished = false
    private var waiters: [(condition: @Sendable ([UInt8], Bool) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func write(_ piece: [UInt8]) {
        bytes += piece
        wake()
    }

    func finish() {
        isFinished = true
        wake()
    }

    /// Waits until what has come fulfils a condition.
    func wait(until condition: @escaping @Sendable (_ bytes: [UInt8], _ isFinished: Bool) -> Bool) async {
        if condition(bytes, isFinished) { return }
        await withCheckedContinuation { waiters.append((condition, $0)) }
    }

    /// Waits until a text has come.
    func wait(for text: String) async {
        await wait { bytes, _ in String(decoding: bytes, as: UTF8.self).contains(text) }
    }

    private func wake() {
        let (done, rest) = (waiters.filter { $0.condition(bytes, isFinished) }, waiters.filter { !$0.condition(bytes, isFinished) })
        waiters = rest
        for waiter in done { waiter.continuation.resume() }
    }
}

struct SinkWriter: ResponseBodyWriter {
    let sink: Sink

    func write(_ buffer: ByteBuffer) async throws {
        await sink.write(Array(buffer.readableBytesView))
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        await sink.finish()
    }
}
