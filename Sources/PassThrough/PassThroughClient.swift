import AsyncHTTPClient
package import Coordination
package import HTTP
package import HTTPListener
package import HTTPTypes
package import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL

/// Passes requests on to the old server, and its responses back, as they are.
///
/// - Bodies are streamed in both directions: a side that reads slowly slows the other. Nothing is decompressed, compressed or rewritten.
/// - A client that disconnects ends the request to the old server. An old server that disconnects in the middle of a response ends the client's
///   connection, so that the client does not take the response for a complete one.
/// - Redirects are responses like others.
/// - The reason phrase of the status line is Go's, which Sync Gateway sends: NIO does not keep the phrase of a known status.
/// - Trailers are dropped, which RFC 9110 (6.5.1) permits: no server of the 1.x protocol sends any, and AsyncHTTPClient does not show them.
package final class PassThroughClient: Sendable {
    /// How long a connection to the old server stays open without a request. It is shorter than the time of common servers, so that a request
    /// rarely meets a connection that the server is about to close.
    private static let idleTimeout = TimeAmount.seconds(3)
    private static let connectTimeout = TimeAmount.seconds(10)

    /// How long a request waits for the begin of its response, after its body. The longest heartbeat of the clients is half of it, and a CouchDB may
    /// have to build an index first.
    private static let timeout = Duration.seconds(600)

    private let server: OldServer
    private let client: HTTPClient
    private let tls: ClientTLS

    /// - Parameters:
    ///   - server: The database on the old server.
    ///   - tls: Which certificates are trusted if the server's URL is `https`.
    package init(_ server: OldServer, tls: ClientTLS = ClientTLS()) {
        self.server = server
        self.tls = tls
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls.configuration, redirectConfiguration: .disallow,
            timeout: .init(connect: Self.connectTimeout), connectionPool: .init(idleTimeout: Self.idleTimeout), decompression: .disabled)
        configuration.httpVersion = .http1Only
        // Each feed of a client occupies a connection.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = .max
        // The read buffer of a connection stays allocated, so it starts small: most feeds are idle.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 64 * 1_024))
        }
        // If the old server is down, the client retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The client's own spans have the URL, and with it a user's data.
        configuration.tracing.tracer = nil
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Cancels running requests and closes all connections.
    package func close() async {
        try? await client.shutdown()
    }

    /// Which target a request has on the old server.
    package enum Scope: Sendable {
        /// Below the database.
        case database
        /// Outside any database.
        case server
    }

    /// Passes a request on.
    ///
    /// - Parameters:
    ///   - additional: Header fields of the bridge.
    ///   - firstMessage: Changes the first message of a client's WebSocket.
    ///   - leaving: Ends the exchange, and with it the client's connection.
    /// - Throws: ``RequestError`` `unavailable` if the old server does not respond, `badRequest` if the request's body cannot be read.
    package func respond(
        to request: Request, _ info: RequestInfo, _ scope: Scope = .database, additional: HTTPFields = [:],
        firstMessage: WebSocketFirstMessage? = nil, leaving: StopSignal
    ) async throws(RequestError) -> Response {
        let raw = request.head.path ?? "/"
        let target = scope == .database ? server.target(for: raw) : server.rootTarget(for: raw)
        let fields = ForwardedFields(request.head, info, additional: additional).fields
        let body = PassedBody(request)
        do {
            guard request.isWebSocketUpgrade, let connection = info.connection else {
                return try await exchange(request, body, target, fields, info, leaving)
            }
            let opening = TunnelOpening(
                server: server, tls: tls, target: target, authority: request.head.authority, fields: fields, firstMessage: firstMessage)
            return try await opening.open(on: connection.eventLoop, leaving: leaving)
        } catch {
            if let failure = body?.failure { throw RequestError(.badRequest, reason: "The body cannot be read.", cause: failure) }
            throw RequestError(.unavailable, reason: "The old server does not answer; try again later.", cause: error)
        }
    }

    private func exchange(
        _ request: Request, _ body: PassedBody?, _ target: String, _ fields: HTTPFields, _ info: RequestInfo, _ leaving: StopSignal
    ) async throws -> Response {
        var outgoing = HTTPClientRequest(url: server.origin + target)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        if let host = request.head.authority { outgoing.headers.add(name: "Host", value: host) }
        for field in fields where field.name != .contentLength { outgoing.headers.add(name: field.name.rawName, value: field.value) }
        if let body { outgoing.body = .stream(body, length: body.length.map { .known($0) } ?? .unknown) }
        let response = try await leaving.during {
            try await send(outgoing, body)
        } onRaise: {
            info.connection?.drop()
        }
        // The connection can be used again only when the end has been read.
        if request.method == .head || [204, 304].contains(response.status.code) { for try await _ in response.body {} }
        return Self.relayed(response, isRequestRead: body?.isRead ?? true, info, leaving)
    }

    /// Sends a request; once more if the server has closed the pooled connection meanwhile and the request may be repeated (RFC 9110, 9.2.2).
    private func send(_ request: HTTPClientRequest, _ body: PassedBody?) async throws -> HTTPClientResponse {
        let canRepeat = body == nil && [.GET, .HEAD, .OPTIONS].contains(request.method)
        do {
            return try await head(of: request, body)
        } catch let error as HTTPClientError where error == .remoteConnectionClosed && canRepeat {
            return try await head(of: request, body)
        } catch let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode) && canRepeat {
            return try await head(of: request, body)
        }
    }

    /// Sends a request and waits for the head of its response. The time of an upload is not limited here, because the listener limits its pauses.
    private func head(of request: HTTPClientRequest, _ body: PassedBody?) async throws -> HTTPClientResponse {
        let response = try await withTimeout(Self.timeout, from: { await body?.waitUntilRead() }) {
            try await self.client.execute(request, deadline: .distantFuture)
        }
        guard let response else { throw HTTPClientError.deadlineExceeded }
        return response
    }

    /// The old server's response with its own status, fields and body.
    private static func relayed(
        _ response: HTTPClientResponse, isRequestRead: Bool, _ info: RequestInfo, _ leaving: StopSignal
    ) -> Response {
        var fields = RelayedFields(response.headers).fields
        // The rest of the request may still arrive, so the connection cannot serve another one.
        if !isRequestRead { fields[.connection] = "close" }
        // Only these two, because a feed keeps them.
        let (body, connection) = (response.body, info.connection)
        return Response(
            status: .relayed(response.status), headers: fields,
            body: ResponseBody { writer in
                let output = writer
                try await leaving.during {
                    try await write(body, to: output)
                } onRaise: {
                    connection?.drop()
                }
            })
    }

    private static func write(_ body: HTTPClientResponse.Body, to output: any ResponseBodyWriter) async throws {
        var output = output
        for try await buffer in body { try await output.write(buffer) }
        try await output.finish(nil)
    }
}

extension HTTPResponse.Status {
    /// The status of the old server's response.
    static func relayed(_ status: HTTPResponseStatus) -> HTTPResponse.Status {
        let relayed = HTTPResponse.Status(code: Int(status.code), reasonPhrase: status.reasonPhrase)
        return HTTPResponse.Status(code: relayed.code, reasonPhrase: relayed.namedByGo)
    }
}

/// The header fields of the old server's response, as the client gets them.
struct RelayedFields {
    let fields: HTTPFields

    init(_ headers: HTTPHeaders) {
        var fields = HopByHop.removed(from: HTTPFields(headers, splitCookie: false))
        // The listener adds its own name and time where a response has none.
        if fields[.server] == nil { fields[.server] = "" }
        if fields[.date] == nil { fields[.date] = "" }
        // The listener compresses no response that has an encoding, and removes this one.
        if fields[.contentEncoding] == nil { fields[.contentEncoding] = "identity" }
        self.fields = fields
    }
}

extension Request {
    /// Whether the client can get a WebSocket: RFC 6455, 4.1.
    fileprivate var isWebSocketUpgrade: Bool {
        method == .get && wantsWebSocket && headers[.secWebSocketVersion] == "13" && headers[.secWebSocketKey] != nil
    }
}

/// The body of a request that is passed on.
private final class PassedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The declared length in bytes; `nil` for a chunked body.
    let length: Int64?
    private let body: RequestBody
    /// Open once the whole body has been read.
    private let read = FlowGate()
    private let failed = Lock<(any Error)?>(nil)

    /// The bytes of a body of declared length that have not been read.
    private let left: Lock<Int64>

    /// - Returns: `nil` for a request without a body.
    init?(_ request: Request) {
        length = request.headers[.contentLength].flatMap { Int64($0) }
        guard request.headers[.transferEncoding] != nil || (length ?? 0) > 0 else { return nil }
        body = request.body
        left = Lock(request.headers[.transferEncoding] == nil ? length ?? .max : .max)
        read.close()
    }

    /// Whether the whole body has been read.
    var isRead: Bool { !read.isClosed }

    /// Why the client's body could not be read; `nil` if that is not so.
    var failure: (any Error)? { failed.withLock { $0 } }

    /// Waits until the whole body has been read, or the task is cancelled.
    func waitUntilRead() async {
        try? await read.pass()
    }

    /// Records a part, or the end. The last byte of a declared length is the end, too: the response may begin before the end is asked for.
    private func recordRead(_ part: ByteBuffer?) {
        let isOver = left.withLock { left in
            left -= Int64(part?.readableBytes ?? 0)
            return part == nil || left <= 0
        }
        if isOver { read.open() }
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let sequence: PassedBody
        var parts: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do {
                let part = try await parts.next()
                sequence.recordRead(part)
                return part
            } catch {
                sequence.failed.withLock { $0 = error }
                throw error
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self, parts: body.makeAsyncIterator()) }
}
