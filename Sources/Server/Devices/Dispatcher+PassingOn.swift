import Access
import Authentication
import Coordination
import Cutover
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import LegacyServer
import Logging
import ModernProtocol
import NIOCore
import PassThrough

/// Requests that go to the old server, before any other step.
extension Dispatcher {
    /// The old server's response to a request below a database's name; `nil` if the bridge serves the device. `asked` then gets the signal that
    /// ends the device's connections.
    func passOn(_ asked: inout KeyspaceRequest) async -> Response? {
        guard port == .public, let devices = asked.running.devices, asked.isKnownToOldServers else { return nil }
        let choice: DeviceRouter.Choice
        do {
            choice = try await devices.choose(asked.request, asked.info, isLogin: asked.isLogin)
        } catch {
            return failure(error, asked.request)
        }
        let meter = asked.meter(devices.figures, choice)
        if let meter { asked.request = meter.counting(asked.request) }
        guard choice.side == .oldServer else {
            asked.moved = StopSignal(following: [choice.moved, choice.stageEnd])
            asked.meter = meter
            return nil
        }
        guard asked.running.permitsPassingOn else {
            let refusal = ServerAnswer.unavailable("The cutover goes on, or the store of the database does not answer; try again later")
            return meter?.recording(refusal) ?? refusal
        }
        // A short request that has begun ends where it began, as long as the other side gets the result.
        let leaving = StopSignal(
            following: [asked.running.retiring, asked.info.shutdown, choice.stageEnd] + (asked.lasts ? [choice.moved] : [])
                + (asked.running.isServedElsewhere ? [asked.running.leaving] : []))
        do {
            let capture = await devices.comparer?.capture(asked)
            if let capture { asked.request = capture.copying(asked.request) }
            let passed = try await PassedRequest(asked, limits: legacy.limits)
            var response = await passOn(passed.request, asked.info, devices, .database, leaving, asked.context, passed.firstMessage)
            if let capture { response = capture.copying(response) { devices.comparer?.compare($0) } }
            if asked.isLogout, response.status.code < 300 { try await devices.endSessions(of: asked.request) }
            if passed.isRescan { devices.figures.recordRescan(on: .oldServer) }
            let visited = asked.recordingVisit(meter?.recording(response) ?? response, of: choice.device)
            return withExtendedLifetime(passed) { asked.lease.hold(visited) }
        } catch {
            let error = error as? RequestError ?? RequestError(.unavailable, reason: "The store cannot be read.", cause: error)
            let response = failure(error, asked.request)
            return meter?.recording(response) ?? response
        }
    }

    /// The old server's response to a request outside the databases; `nil` if no database passes requests on.
    func passOn(_ request: Request, _ info: RequestInfo, _ context: RequestContext) async -> Response? {
        guard port == .public, let (name, devices) = databases.oldServer, let trail = request.trail,
            // The rules and the stage of a database hold for all its names.
            !databases.isOldDatabase(request.head.path ?? "/")
        else { return nil }
        let own = databases.trailID(name)
        guard !trail.ids.contains(own) else {
            databases.reportLoop(name)
            return LoopAnswer.response(name)
        }
        return await ViaHeader.$current.withValue(trail.adding(own)) {
            await passOn(request, info, devices, .server, StopSignal(following: [devices.stageEnd, info.shutdown]), context)
        }
    }

    private func passOn(
        _ request: Request, _ info: RequestInfo, _ devices: DeviceRouter, _ scope: PassThroughClient.Scope, _ leaving: StopSignal,
        _ context: RequestContext, _ firstMessage: WebSocketFirstMessage? = nil
    ) async -> Response {
        var additional: HTTPFields = [:]
        if let name = HTTPField.Name(ViaHeader.header), !ViaHeader.current.ids.isEmpty { additional[name] = ViaHeader.current.text }
        do {
            let response = try await devices.client.respond(
                to: request, info, scope, additional: additional, firstMessage: firstMessage, leaving: leaving)
            context.isPassedOn = true
            return response
        } catch {
            return failure(error, request, isOrdinary: leaving.isRaised || error.code == .badRequest || error.cause is CancellationError)
        }
    }

    /// - Parameter isOrdinary: Whether the client, a move or a step has ended the request.
    private func failure(_ error: RequestError, _ request: Request, isOrdinary: Bool = false) -> Response {
        logger.log(
            level: isOrdinary ? .debug : .warning, "a request could not be passed on to the old server", metadata: ["error": "\(error)"])
        var response = error.response
        // The client that was to pass the body on may still read it.
        if request.method != .get, request.method != .head { response.headers[.connection] = "close" }
        return response
    }
}

/// A request as it is passed on. A feed's position that is this bridge's own, from before the device was moved back, is replaced.
private struct PassedRequest {
    var request: Request
    var firstMessage: WebSocketFirstMessage?

    /// Whether the position of a feed was replaced. That of a WebSocket is not known yet.
    private(set) var isRescan = false

    /// The memory of options that are read here. It is held until the response begins.
    private let memory: MemoryShare

    init(_ asked: KeyspaceRequest, limits: LegacyLimits) async throws {
        request = asked.request
        memory = asked.info.memory.share()
        guard asked.isFeed else { return }
        let positions = OwnPositions(try await asked.running.database.unified.ownSequences())
        var head = request.head
        head.path = head.path.map { positions.removed(fromTarget: $0) }
        isRescan = head.path != request.head.path
        if request.wantsWebSocket {
            firstMessage = WebSocketFirstMessage(limit: limits.webSocketOptionsSize) { positions.removed(fromOptions: $0) }
            request = Request(head: head, body: request.body)
        } else if request.method == .post {
            let sent = try await options(limit: limits.bodySize)
            let copy = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: sent)))
            let options = try await copy.decompressed(maximumSize: limits.bodySize).bytes(upTo: limits.bodySize)
            guard let changed = positions.removed(fromOptions: options) else {
                request = copy
                return
            }
            isRescan = true
            head.headerFields[.contentEncoding] = nil
            head.headerFields[.transferEncoding] = nil
            head.headerFields[.contentLength] = String(changed.count)
            request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: changed)))
        } else {
            request = Request(head: head, body: request.body)
        }
    }
}

extension PassedRequest {
    /// The request's body, counted with the copy that is decompressed.
    private func options(limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard chunk.readableBytes <= limit - bytes.count else {
                throw RequestError(.contentTooLarge, reason: "The body is longer than the limit of \(limit) bytes.")
            }
            guard memory.resize(to: 4 * (bytes.count + chunk.readableBytes)) else {
                throw RequestError(.unavailable, reason: "The memory for clients' requests is used up; try again later.")
            }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }
}

extension KeyspaceRequest {
    var isFeed: Bool {
        let segments = resolution.target.segments
        return segments.count > 1 && segments[1].value == "_changes"
    }

    /// Whether the request begins or ends a session.
    fileprivate var isLogin: Bool {
        let segments = resolution.target.segments
        guard segments.count == 2 else { return false }
        if segments[1].value == "_session" { return request.method == .post || request.method == .delete }
        return TokenEndpoint(rawValue: segments[1].value) != nil
    }

    /// Whether the request ends a session.
    fileprivate var isLogout: Bool { isLogin && request.method == .delete }

    /// Whether the response may last: a feed, or a WebSocket.
    var lasts: Bool { request.wantsWebSocket || isFeed }

    /// Whether an old server can serve the request: it has no collections, and does not speak the protocol of Couchbase Lite 4.
    fileprivate var isKnownToOldServers: Bool {
        guard place.collection == nil else { return false }
        guard request.wantsWebSocket else { return true }
        let offered = request.webSocketProtocols.compactMap { Subprotocol(rawValue: $0) }
        return offered.isEmpty || offered.contains { !$0.hasVersions }
    }
}
