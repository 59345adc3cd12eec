import Access
import Authentication
import Coordination
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import ModernProtocol
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
        guard choice.side == .oldServer else {
            asked.moved = StopSignal(following: [choice.moved, choice.stageEnd])
            return nil
        }
        // A short request that has begun ends where it began, as long as the other side gets the result.
        let leaving = StopSignal(
            following: [asked.running.retiring, asked.info.shutdown, choice.stageEnd] + (asked.lasts ? [choice.moved] : []))
        return asked.lease.hold(await passOn(asked.request, asked.info, devices, .database, leaving, asked.context))
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
        _ context: RequestContext
    ) async -> Response {
        var additional: HTTPFields = [:]
        if let name = HTTPField.Name(ViaHeader.header), !ViaHeader.current.ids.isEmpty { additional[name] = ViaHeader.current.text }
        do {
            let response = try await devices.client.respond(to: request, info, scope, additional: additional, leaving: leaving)
            context.isPassedOn = true
            return response
        } catch {
            return failure(error, request)
        }
    }

    private func failure(_ error: RequestError, _ request: Request) -> Response {
        logger.warning("a request could not be passed on to the old server", metadata: ["error": "\(error)"])
        var response = error.response
        // The client that was to pass the body on may still read it.
        if request.method != .get, request.method != .head { response.headers[.connection] = "close" }
        return response
    }
}

extension KeyspaceRequest {
    /// Whether the request begins or ends a session.
    fileprivate var isLogin: Bool {
        let segments = resolution.target.segments
        guard segments.count == 2 else { return false }
        if segments[1].value == "_session" { return request.method == .post || request.method == .delete }
        return TokenEndpoint(rawValue: segments[1].value) != nil
    }

    /// Whether the response may last: a feed, or a WebSocket.
    fileprivate var lasts: Bool {
        let segments = resolution.target.segments
        return request.wantsWebSocket || segments.count > 1 && segments[1].value == "_changes"
    }

    /// Whether an old server can serve the request: it has no collections, and does not speak the protocol of Couchbase Lite 4.
    fileprivate var isKnownToOldServers: Bool {
        guard place.collection == nil else { return false }
        guard request.wantsWebSocket else { return true }
        let offered = request.webSocketProtocols.compactMap { Subprotocol(rawValue: $0) }
        return offered.isEmpty || offered.contains { !$0.hasVersions }
    }
}
