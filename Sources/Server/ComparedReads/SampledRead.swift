import Coordination
import Cutover
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore

/// A read that was passed on to the old server, with its response: what is compared.
struct SampledRead: Sendable {
    /// The longest request, and the longest response, that are compared.
    static let requestSize = 256 << 10
    static let responseSize = 4 << 20

    /// `_changes`, as one response; `_bulk_get`; or a document.
    enum Kind: Hashable, Sendable {
        case changes
        case documents
    }

    let kind: Kind
    let head: HTTPRequest
    let body: [UInt8]

    /// The end of the bridge's feed before the old server was asked.
    let fence: Int64
    let address: SocketAddress?
    let status: Int
    let type: MediaType?
    let response: [UInt8]

    /// Holds the memory of both bodies.
    let memory: MemoryShare

    var path: String { head.path ?? "/" }

    /// Whether the request asks for the whole feed.
    var isOfWholeFeed: Bool {
        guard let target = try? RequestTarget(path), head.method == .get else { return false }
        let query = target.query
        return ["", "0", nil].contains(query["since"]) && ["limit", "filter", "doc_ids", "active_only"].allSatisfy { query[$0] == nil }
    }
}

/// Copies a read and its response as they pass by.
final class ReadCapture: Sendable {
    private struct State {
        var request: [UInt8] = []
        var response: [UInt8] = []
        var isTooLarge = false
    }

    private let state = Lock(State())
    private let memory: MemoryShare
    private let kind: SampledRead.Kind
    private let head: HTTPRequest
    private let fence: Int64
    private let address: SocketAddress?

    init(_ kind: SampledRead.Kind, _ request: Request, upTo fence: Int64, _ info: RequestInfo) {
        (self.kind, head, self.fence, address) = (kind, request.head, fence, info.remoteAddress)
        memory = info.memory.share()
    }

    /// The request, whose body is copied as it is read.
    func copying(_ request: Request) -> Request {
        guard request.method == .post else { return request }
        return Request(
            head: request.head,
            body: RequestBody(
                asyncSequence: request.body.map { [self] buffer in
                    add(buffer, limit: SampledRead.requestSize) { $0.request.append(contentsOf: $1) }
                    return buffer
                }))
    }

    /// The response, whose body is copied as it is written.
    ///
    /// - Parameter finish: Gets the read when the response has been written; `nil` if it is too large.
    func copying(_ response: Response, _ finish: @escaping @Sendable (SampledRead?) -> Void) -> Response {
        let body = response.body
        let copied = ResponseBody(contentLength: body.contentLength) { [self] writer in
            try await body.write(CopyingWriter(parent: writer, capture: self))
            finish(read(response))
        }
        return Response(status: response.status, headers: response.headers, body: copied)
    }

    fileprivate func addToResponse(_ buffer: ByteBuffer) {
        add(buffer, limit: SampledRead.responseSize + SampledRead.requestSize) { $0.response.append(contentsOf: $1) }
    }

    /// - Parameter limit: The most bytes of both bodies.
    private func add(_ buffer: ByteBuffer, limit: Int, _ append: (inout State, ByteBufferView) -> Void) {
        state.withLock { state in
            guard !state.isTooLarge else { return }
            let all = state.request.count + state.response.count + buffer.readableBytes
            guard all <= limit, memory.resize(to: all) else {
                state = State(isTooLarge: true)
                return
            }
            append(&state, buffer.readableBytesView)
        }
    }

    private func read(_ response: Response) -> SampledRead? {
        let state = state.withLock { $0 }
        guard !state.isTooLarge, let request = Self.plain(state.request, head.headerFields[.contentEncoding]),
            let body = Self.plain(state.response, response.headers[.contentEncoding])
        else { return nil }
        // Both bodies without compression, and the bridge's own response.
        guard memory.resize(to: request.count + body.count + SampledRead.responseSize) else { return nil }
        return SampledRead(
            kind: kind, head: head, body: request, fence: fence, address: address, status: response.status.code,
            type: response.headers[.contentType].flatMap { MediaType($0) }, response: body, memory: memory)
    }

    /// A body without compression; `nil` for other encodings and bodies that are too large.
    private static func plain(_ bytes: [UInt8], _ encoding: String?) -> [UInt8]? {
        switch encoding?.lowercased() {
        case nil, "", "identity": return bytes
        case "gzip", "x-gzip":
            guard let plain = try? Inflater(maximumSize: SampledRead.responseSize).write(ByteBuffer(bytes: bytes)) else { return nil }
            return Array(plain.readableBytesView)
        default: return nil
        }
    }
}

private struct CopyingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    let capture: ReadCapture

    mutating func write(_ buffer: ByteBuffer) async throws {
        capture.addToResponse(buffer)
        try await parent.write(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await parent.finish(trailingHeaders)
    }
}
