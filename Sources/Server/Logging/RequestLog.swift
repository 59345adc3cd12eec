import Access
import BridgeConfiguration
import Coordination
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ReplicationService

/// The log of requests: caller, client, request, status, bytes sent, and duration.
struct RequestLog: Sendable {
    let logger: Logger
    let port: PortKind

    /// The longest `User-Agent` that is logged.
    private static let clientLength = 120

    /// Whether requests are currently logged.
    var isOn: Bool { logger.logLevel <= .info }

    /// The response, which is logged once it has been sent. Feeds are logged when they end.
    func logging(
        _ response: Response, to request: Request, _ info: RequestInfo, _ context: RequestContext, since start: ContinuousClock.Instant
    )
        -> Response
    {
        let entry = entry(request, info, response.status)
        // These have no body, or one that must not be wrapped.
        guard request.method != .head, ![.switchingProtocols, .noContent, .notModified].contains(response.status) else {
            write(entry, context, bytes: 0, since: start)
            return response
        }
        let body = response.body
        let logged = ResponseBody(contentLength: body.contentLength) { writer in
            let count = ByteCount()
            do {
                try await body.write(CountingWriter(parent: writer, count: count))
            } catch {
                write(entry, context, bytes: count.bytes, since: start, isCutOff: true)
                throw error
            }
            write(entry, context, bytes: count.bytes, since: start)
        }
        return Response(status: response.status, headers: response.headers, body: logged)
    }

    private func entry(_ request: Request, _ info: RequestInfo, _ status: HTTPResponse.Status) -> Logger.Metadata {
        let path = LoggedPath(request.head.path ?? "")
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue)", "path": "\(path.text)", "status": "\(status.code)", "port": "\(port)",
        ]
        if let client = request.headers[.userAgent] {
            metadata["client"] = "\(client.prefix(Self.clientLength))"
            metadata["generation"] = "\(ClientGeneration(client, isBLIP: path.isBLIP))"
        }
        if let address = info.remoteAddress?.ipAddress { metadata["address"] = "\(address)" }
        return metadata
    }

    private func write(
        _ entry: Logger.Metadata, _ context: RequestContext, bytes: Int, since start: ContinuousClock.Instant, isCutOff: Bool = false
    ) {
        var metadata = entry
        switch context.principal {
        case .user(let name): metadata["user"] = "\(name)"
        case .guest: metadata["user"] = "guest"
        case .administrator, nil: break
        }
        if let name = context.administrator?.name { metadata["user"] = "\(name)" }
        metadata["bytes"] = "\(bytes)"
        metadata["ms"] = "\(Int(start.duration(to: .now) / .milliseconds(1)))"
        if isCutOff { metadata["end"] = "cut off" }
        logger.info("request", metadata: metadata)
    }
}

/// The number of written bytes of a body. For one task at a time.
private final class ByteCount {
    var bytes = 0
}

private struct CountingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    let count: ByteCount

    mutating func write(_ buffer: ByteBuffer) async throws {
        count.bytes += buffer.readableBytes
        try await parent.write(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await parent.finish(trailingHeaders)
    }
}

/// Facts about a request that its handlers collect for the log.
final class RequestContext: Sendable {
    private struct State {
        var principal: Principal?
        var administrator: AdminCaller?
        var isPassedOn = false
    }

    private let state = Lock(State())

    /// The principal; `nil` until it is authenticated.
    var principal: Principal? {
        get { state.withLock { $0.principal } }
        set { state.withLock { $0.principal = newValue } }
    }

    /// Whether the response is the old server's.
    var isPassedOn: Bool {
        get { state.withLock { $0.isPassedOn } }
        set { state.withLock { $0.isPassedOn = newValue } }
    }

    /// The caller at the admin port.
    var administrator: AdminCaller? {
        get { state.withLock { $0.administrator } }
        set { state.withLock { $0.administrator = newValue } }
    }
}

/// The generation of a client, by its `User-Agent` and its protocol.
struct ClientGeneration: CustomStringConvertible {
    let description: String

    /// - Parameter isBLIP: whether the client uses the protocol of 2.x and later over one WebSocket.
    init(_ userAgent: String, isBLIP: Bool) {
        guard isBLIP else {
            description = "1"
            return
        }
        // LiteCore puts the version of its protocol or product after the slash: `CouchbaseLite/3.2.1-5 (Java; …)`.
        let version = userAgent.split(separator: "/", maxSplits: 1).dropFirst().first?.first
        description = version.flatMap { "234".contains($0) ? String($0) : nil } ?? "2+"
    }
}
