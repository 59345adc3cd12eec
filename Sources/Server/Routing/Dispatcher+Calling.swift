import Access
import BridgeConfiguration
import Coordination
import Cutover
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import LegacyServer
import ModernProtocol
import ModernServer
import NIOCore
import Supervision
import Tracing

/// The third step: the handler of the route responds, or the path refuses the method.
extension Dispatcher {
    /// Responds to a request outside any database.
    func call(_ request: Request, _ resolution: Resolution) async -> Response {
        #if DEBUG
            if port == .admin, request.method == .post, resolution.target.segments.map(\.value) == ["_trap"] { Trap.spring() }
        #endif
        guard case .routes(let path, _) = resolution.found, path.requirement != .logControl || server.logging != nil else {
            return ServerAnswer.unknownURL
        }
        let response =
            if case .server(let handler)? = resolution.route?.handler {
                await handler(ServerCall(request: request, target: resolution.target, context: server))
            } else {
                path.refusal(of: request.method)
            }
        return path.isRoot ? stampedForPages(response, request) : response
    }

    /// PouchDB requests the root before a database.
    private func stampedForPages(_ response: Response, _ request: Request) -> Response {
        let policies = port == .public ? databases.names.compactMap { databases[$0]?.access.configuration.cors } : []
        guard let origin = request.headers[.origin], let cors = policies.first(where: { $0.allows(origin) }) else { return response }
        return cors.stamp(cors.preflight(request) ?? response, to: request)
    }

    /// Responds by a route of a database that is online.
    func call(_ asked: KeyspaceRequest, _ path: PathRoutes, _ parameters: [String]) async -> Response {
        if case .login(let endpoint) = path.requirement, asked.access.tokens?.isConfigured(endpoint) != true {
            return ServerAnswer.unknownURL
        }
        guard case .online(let handler)? = asked.resolution.route?.handler else { return path.refusal(of: asked.request.method) }
        let call = AdminCall(
            request: asked.request, info: asked.info, query: asked.resolution.target.query, database: asked.running.database,
            access: asked.access, replications: asked.running.replications, devices: asked.running.devices, lease: asked.running.lease,
            parameters: parameters)
        return await call.respond(by: handler, logger: logger.of(.admin))
    }

    /// Responds to an authenticated caller.
    func call(_ asked: KeyspaceRequest, _ caller: Caller) async -> Response {
        switch asked.resolution.found {
        case .legacy(let match): return await callLegacy(asked, match, caller)
        case .routes(let path, _):
            guard asked.resolution.route != nil, asked.request.wantsWebSocket else { return path.refusal(of: asked.request.method) }
            return blipSync(asked, caller)
        case .nothing: return ServerAnswer.unknownURL
        }
    }

    /// Signalled when the login of a connection that lasts ends.
    private func end(of caller: Caller, _ asked: KeyspaceRequest) -> StopSignal? {
        guard asked.resolution.route?.lasts == true else { return nil }
        return caller.proof.map { asked.access.open.signal(for: $0) }
    }

    private func callLegacy(_ asked: KeyspaceRequest, _ match: LegacyMatch, _ caller: Caller) async -> Response {
        var info = asked.info
        let login = end(of: caller, asked)
        if port == .public {
            guard let legacyShutdown = asked.running.legacyShutdown else { return retired(asked) }
            info.shutdown = StopSignal(following: [info.shutdown, legacyShutdown] + (login.map { [$0] } ?? []))
            if let refusal = refusalOfPage(asked) { return refusal }
        }
        let found: Keyspace?
        do {
            found = try await asked.place.keyspace(in: asked.running.database)
        } catch {
            return AccessAnswer(sendsChallenge: false, logger: logger).response(to: error)
        }
        guard let keyspace = found else {
            return ServerAnswer.error(.notFound, "not_found", "keyspace \(asked.resolution.target.segments[0].value) not found")
        }
        let plain: Request
        do {
            plain = try asked.request.decompressed(maximumSize: legacy.limits.bodySize)
        } catch {
            return (error as? RequestError ?? RequestError(.badRequest, reason: "the body cannot be decompressed", cause: error))
                .response
        }
        return await legacy.respond(
            to: plain, at: match, in: keyspace.seen(by: caller.principal),
            caller: LegacyCaller(isAdministrator: caller.principal.isAdministrator), info: info,
            upstream: port == .public && asked.running.stage?.inheritsCheckpoints != false ? asked.access.checkpoints : nil)
    }

    /// Responds to a 2.x+ client's request for a WebSocket.
    private func blipSync(_ asked: KeyspaceRequest, _ caller: Caller) -> Response {
        let login = end(of: caller, asked)
        if let refusal = refusalOfPage(asked) { return refusal }
        let (request, lease) = (asked.request, asked.lease)
        guard let subprotocol = ModernListener.choose(from: request.webSocketProtocols) else {
            return ServerAnswer.error(.internalServerError, "Internal Server Error", ModernListener.refusal)
        }
        // LiteCore logs this ID.
        let correlation = String(UInt64.random(in: .min ... .max), radix: 16)
        let client = ClientDescription(
            userAgent: request.headers[.userAgent], address: asked.info.remoteAddress?.description, correlation: correlation,
            hasRevisionTrees: ModernListener.hasRevisionTrees(request.webSocketProtocols))
        var limits = WebSocketLimits()
        limits.frameSize = 1 << 20
        limits.messageSize = 1 << 20
        limits.pingInterval = .seconds(300)
        let headers = HTTPField.Name("X-Correlation-Id").map { [$0: correlation] as HTTPFields } ?? [:]
        let leaving = StopSignal(
            following: [lease.running.leaving] + [gate?.access.leaving, login, asked.moved].compactMap(\.self))
        let origin =
            port == .public
            ? InheritedCheckpoints(
                asked.access.checkpoints, of: lease.running, headers: request.headers, limits: legacy.limits, logger: logger.of(.sync))
            : nil
        let trace = databases.tracer.map { ConnectionTrace($0, opening: ServiceContext.current, database: lease.running.database.name) }
        return .webSocket(subprotocol: subprotocol.rawValue, headers: headers, limits: limits) {
            [modern, memory = asked.info.memory] socket in
            await leaving.during {
                try? await lease.running.database.readCollections()
                await modern.serve(
                    WebSocketMessages(socket, of: .listener), database: lease.running.database, principal: caller.principal,
                    login: caller.proof, subprotocol: subprotocol, client: client, deltas: lease.running.deltas, origin: origin,
                    memory: memory, trace: trace)
            } onRaise: {
                // When the database goes offline or the login ends, the connection is dropped, so that the client reconnects.
                socket.drop()
            }
        }
    }
}
