import Access
import BridgeConfiguration
import Coordination
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyServer
import ReplicationService

/// A request below the name of a served database.
struct KeyspaceRequest: Sendable {
    var request: Request
    var info: RequestInfo
    let resolution: Resolution
    let place: KeyspaceName
    let lease: DatabaseLease
    let context: RequestContext

    /// Raised when the device is moved to the old server; `nil` if devices are not moved.
    var moved: StopSignal?

    /// Records the exchange in the figures of the device's side; `nil` if devices are not moved.
    var meter: ExchangeMeter?

    var running: RunningDatabase { lease.running }
    var access: DatabaseAccess { lease.running.access }
}

/// The reply of a step after which the route's handler is not called.
struct EarlyResponse: Error {
    let response: Response
}

/// The second step for requests below a database's name. The gate has checked requests to the admin port before.
extension Dispatcher {
    func answer(_ asked: KeyspaceRequest) async -> Response {
        guard port == .public else { return await respond(to: asked) }
        var asked = asked
        if let response = await passOn(&asked) { return response }
        let cors = asked.access.configuration.cors
        if let preflight = cors.preflight(asked.request) { return cors.stamp(preflight, to: asked.request) }
        let response = await respond(to: asked)
        return cors.stamp(asked.meter?.recording(response) ?? response, to: asked.request)
    }

    private func respond(to asked: KeyspaceRequest) async -> Response {
        let describes =
            asked.place.collection == nil && asked.resolution.target.segments.count == 1 && [.get, .head].contains(asked.request.method)
        if asked.running.watch.isCutOff { return ServerAnswer.unavailable(AdminError.unreachable(asked.place.database).reason) }
        if let refusal = asked.running.refusal(describes: describes) {
            return ServerAnswer.json(describes ? .ok : .serviceUnavailable, refusal)
        }
        var asked = asked
        asked.info.shutdown = StopSignal(
            following: [asked.info.shutdown, asked.running.leaving] + (gate.map { [$0.access.leaving] } ?? [])
                + (asked.moved.map { [$0] } ?? []))
        return asked.lease.hold(await serve(asked))
    }

    private func serve(_ asked: KeyspaceRequest) async -> Response {
        // Administrators may name collections that a command has just added.
        if port == .admin { try? await asked.running.database.readCollections() }
        if case .routes(let path, let parameters) = asked.resolution.found, path.stage == .online {
            return await call(asked, path, parameters)
        }
        do throws(EarlyResponse) {
            let caller = try await authorise(asked)
            return caller.stamp(await call(asked, caller))
        } catch {
            return error.response
        }
    }

    private func authorise(_ asked: KeyspaceRequest) async throws(EarlyResponse) -> Caller {
        if port == .public, case .legacy(let match) = asked.resolution.found {
            // The reply comes before authentication, because many apps misinterpret a refused login.
            if asked.running.legacyShutdown == nil { throw EarlyResponse(response: retired(asked)) }
            if asked.request.method == .options { throw EarlyResponse(response: LegacyListener.options(match)) }
        }
        let caller: Caller
        do {
            caller = port == .admin ? Caller(principal: .administrator) : try await asked.access.caller(of: asked.request, asked.info)
        } catch {
            let answer = AccessAnswer(
                sendsChallenge: asked.access.configuration.sendsChallenge, logger: logger, counts: asked.access.counts)
            throw EarlyResponse(response: answer.response(to: error))
        }
        asked.context.principal = caller.principal
        return caller
    }

    /// The reply to 1.x clients once they are not served.
    func retired(_ asked: KeyspaceRequest) -> Response {
        LegacyRetiredAnswer.response(to: asked.request, asked.resolution.target)
    }

    /// The refusal of a WebSocket from a page of a foreign origin on the public port. Browsers leave this check to the server. Native clients send
    /// no origin.
    func refusalOfPage(_ asked: KeyspaceRequest) -> Response? {
        guard port == .public, asked.request.wantsWebSocket, let origin = asked.request.foreignOrigin,
            !asked.access.configuration.cors.allows(origin)
        else { return nil }
        let host = asked.request.head.authority ?? ""
        return ServerAnswer.error(.forbidden, "Forbidden", "request Origin \"\(origin)\" is not authorized for Host \"\(host)\"")
    }
}
