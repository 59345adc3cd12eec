import Access
import AdminPage
import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import LegacyServer
import Logging
import ModernProtocol
import ModernServer
import NIOCore
import Supervision

/// Routes the requests of one port to the modules that handle them, by the raw path, so that nothing is decoded twice.
struct Dispatcher: Sendable {
    let databases: DatabaseRegistry
    let port: PortKind
    let serverName: String
    let logger: Logger
    let legacy: LegacyListener
    private let requestLog: RequestLog

    /// The log's settings; `nil` if the embedding program controls the log.
    private let logging: LogControl?
    private let modern: ModernListener
    private let admin: AdminListener
    private let administration: DatabaseListener

    /// The gate of the admin port; `nil` for the public port.
    private let gate: AdminGate?

    /// The TLS settings of the ports that have TLS.
    private let certificates: [PortKind: ReloadableTLS]
    private let proxies: TrustedProxies

    /// A fast level: most responses are read once, in a local network.
    private let compression = ResponseCompression(level: 1)

    /// - Parameter gate: the gate of the admin port; `nil` for the dispatcher of the public port.
    init(
        databases: DatabaseRegistry, serverName: String, logger: Logger, logging: LogControl? = nil, gate: AdminGate? = nil,
        certificates: [PortKind: ReloadableTLS] = [:]
    ) {
        self.databases = databases
        self.gate = gate
        self.certificates = certificates
        port = gate == nil ? .public : .admin
        self.serverName = serverName
        self.logger = logger
        self.logging = logging
        requestLog = RequestLog(logger: logger.of(.http), port: port)
        legacy = LegacyListener(limits: LegacyLimits(databases.configuration.limits), logger: logger.of(.http))
        var sessions = SessionLimits()
        sessions.compressionLevel = databases.configuration.listen.blipCompression
        modern = ModernListener(limits: sessions, logger: logger.of(.sync))
        admin = AdminListener(port: port, logger: logger.of(.admin))
        administration = DatabaseListener(databases: databases, logger: logger.of(.admin))
        proxies = port == .public ? databases.configuration.listen.trustedProxies : TrustedProxies()
    }

    /// Responds to a request, compressed if the client accepts that.
    @Sendable
    func respond(_ request: Request, _ info: RequestInfo) async -> Response {
        let (context, info) = (RequestContext(), proxies.resolve(info, request.headers))
        guard requestLog.isOn else { return compression.apply(to: await answer(request, info, context), for: request.head) }
        let start = ContinuousClock.now
        let response = compression.apply(to: await answer(request, info, context), for: request.head)
        return requestLog.logging(response, to: request, info, context, since: start)
    }

    private func answer(_ request: Request, _ info: RequestInfo, _ context: RequestContext) async -> Response {
        let start = ContinuousClock.now
        let target: RequestTarget
        do {
            target = try RequestTarget(request.head.path ?? "/")
        } catch {
            databases.requests.count(.unknown, port, .badRequest, after: .now - start)
            return ServerAnswer.error(.badRequest, "bad_request", error.message)
        }
        let response: Response
        if let gate {
            response = await gate.answer(request, info, target, context) { await answer($0, info, target, context) }
        } else {
            response = await answer(request, info, target, context)
        }
        databases.requests.count(RequestClass(target), port, response.status, after: .now - start)
        guard port == .public, target.segments.count > 1 else { return response }
        return LegacyListener.readable(response, of: request, endpoint: target.segments[1].value)
    }

    private func answer(
        _ request: Request, _ info: RequestInfo, _ target: RequestTarget, _ context: RequestContext
    ) async -> Response {
        guard let first = target.segments.first, !first.isEmpty else {
            return target.segments.count > 1 ? ServerAnswer.unknownURL : await root(request)
        }
        // Server-wide names begin with an underscore; databases never do.
        let isMetrics =
            port == .admin && !target.hasTrailingSlash && target.segments.count == 1 && first.value == ServerRoute.metrics.rawValue
        if port == .admin, first.value == ServerRoute.page.rawValue {
            return await read(request) { PageFile.response(to: target) ?? ServerAnswer.unknownURL }
        }
        if first.value.hasPrefix("_") || isMetrics {
            return target.segments.count == 1 ? await serverWide(first.value, target.query, request) : ServerAnswer.unknownURL
        }
        guard let place = KeyspaceName(first.value) else { return missing(first.value, request, target) }
        let own = databases.trailID(place.database)
        guard let trail = request.trail else {
            return ServerAnswer.error(.badRequest, "bad_request", "\(ViaHeader.header) has what no bridge sends")
        }
        guard !trail.ids.contains(own) else {
            databases.reportLoop(place.database)
            return LoopAnswer.response(place.database)
        }
        return await ViaHeader.$current.withValue(trail.adding(own)) { await answer(request, info, target, place, context) }
    }

    private func answer(
        _ request: Request, _ info: RequestInfo, _ target: RequestTarget, _ place: KeyspaceName, _ context: RequestContext
    ) async -> Response {
        if port == .admin, let response = await administration.respond(to: request, target: target, at: place) { return response }
        guard let lease = databases.lease(place.database) else { return missing(place.database, request, target) }
        guard port == .public else { return await answer(request, info, target, place, lease, context) }
        let cors = lease.running.access.configuration.cors
        if let preflight = cors.preflight(request) { return cors.stamp(preflight, to: request) }
        return cors.stamp(await answer(request, info, target, place, lease, context), to: request)
    }

    private func answer(
        _ request: Request, _ info: RequestInfo, _ target: RequestTarget, _ place: KeyspaceName, _ lease: DatabaseLease,
        _ context: RequestContext
    ) async -> Response {
        let describes = place.collection == nil && target.segments.count == 1 && [.get, .head].contains(request.method)
        if let refusal = lease.running.refusal(describes: describes) {
            return ServerAnswer.json(describes ? .ok : .serviceUnavailable, refusal)
        }
        var info = info
        info.shutdown = ShutdownSignal(following: [info.shutdown, lease.running.leaving] + (gate.map { [$0.access.leaving] } ?? []))
        return lease.hold(await respond(to: request, info, target, place, lease, context))
    }

    /// Responds to a request to a served database.
    private func respond(
        to request: Request, _ info: RequestInfo, _ target: RequestTarget, _ place: KeyspaceName, _ lease: DatabaseLease,
        _ context: RequestContext
    ) async -> Response {
        let (database, access) = (lease.running.database, lease.running.access)
        // Administrators may name collections that a command has just added.
        if port == .admin { try? await database.readCollections() }
        if place.collection == nil, target.segments.count == 2, let endpoint = TokenEndpoint(rawValue: target.segments[1].value) {
            guard let tokens = access.tokens else { return ServerAnswer.unknownURL }
            return await tokens.respond(to: request, at: endpoint, target: target, info: info)
        }
        if place.collection == nil,
            let response = await admin.respond(
                to: request, info, target: target, database: database, access: access, replications: lease.running.replications)
        {
            return response
        }
        let isModern = place.collection == nil && target.segments.count == 2 && target.segments[1].value == "_blipsync"
        // The reply comes before authentication, because many apps misinterpret a refused login.
        if port == .public, !isModern, lease.running.legacyShutdown == nil { return LegacyRetiredAnswer.response(to: request, target) }
        if port == .public, !isModern, request.method == .options { return LegacyListener.options(target) }
        do {
            let caller = try await caller(of: request, info, access)
            context.principal = caller.principal
            return caller.stamp(await respond(to: request, info, target, lease, place, caller))
        } catch {
            return AccessAnswer(sendsChallenge: access.configuration.sendsChallenge, logger: logger, counts: access.counts).response(
                to: error)
        }
    }

    /// Responds to an authenticated caller.
    private func respond(
        to request: Request, _ info: RequestInfo, _ target: RequestTarget, _ lease: DatabaseLease, _ place: KeyspaceName, _ caller: Caller
    ) async -> Response {
        let lasts = request.wantsWebSocket || target.segments.last?.value == "_changes"
        // Ends long-lived connections with their login.
        let login = lasts ? caller.proof.map { lease.running.access.open.signal(for: $0) } : nil
        if target.segments.count == 2, target.segments[1].value == "_blipsync", place.collection == nil {
            return blipSync(request, info, lease, caller, login: login)
        }
        var info = info
        if port == .public {
            guard let legacyShutdown = lease.running.legacyShutdown else { return LegacyRetiredAnswer.response(to: request, target) }
            info.shutdown = ShutdownSignal(following: [info.shutdown, legacyShutdown] + (login.map { [$0] } ?? []))
            if request.wantsWebSocket, let refusal = refusal(ofPageThatSends: request, lease) { return refusal }
        }
        guard let keyspace = try? await place.keyspace(in: lease.running.database) else {
            return ServerAnswer.error(.notFound, "not_found", "keyspace \(target.segments[0].value) not found")
        }
        let plain: Request
        do {
            plain = try request.decompressed(maximumSize: legacy.limits.bodySize)
        } catch {
            return (error as? HTTP.RequestError ?? HTTP.RequestError(.badRequest, reason: "the body cannot be decompressed", cause: error))
                .response
        }
        return await legacy.respond(
            to: plain, target: target, in: keyspace.seen(by: caller.principal),
            caller: LegacyCaller(isAdministrator: caller.principal.isAdministrator),
            info: info,
            upstream: port == .public && lease.running.stage?.inheritsCheckpoints != false ? lease.running.access.checkpoints : nil)
    }

    private func caller(of request: Request, _ info: RequestInfo, _ access: DatabaseAccess) async throws -> Caller {
        switch port {
        case .admin: Caller(principal: .administrator)
        case .public: try await access.caller(of: request, info)
        }
    }

    private func root(_ request: Request) async -> Response {
        let response = await read(request) { ServerAnswer.welcome(serverName: serverName, isAdmin: port == .admin) }
        // PouchDB requests the root before a database.
        let policies = port == .public ? databases.names.compactMap { databases[$0]?.access.configuration.cors } : []
        guard let origin = request.headers[.origin], let cors = policies.first(where: { $0.allows(origin) }) else { return response }
        return cors.stamp(cors.preflight(request) ?? response, to: request)
    }

    private func serverWide(_ name: String, _ query: Query, _ request: Request) async -> Response {
        #if DEBUG
            if name == "_trap", port == .admin, request.method == .post { Trap.spring() }
        #endif
        guard let route = ServerRoute(rawValue: name), route.ports.contains(port) else { return ServerAnswer.unknownURL }
        switch route {
        case .ping: return await read(request) { ServerAnswer.json(.ok, Array(#"{"status":"ok"}"#.utf8)) }
        case .allDatabases: return await read(request) { databaseList(query) }
        case .metrics:
            return await read(request) { await Metrics(databases, adminLogins: gate?.access.counts, certificates: certificates).response() }
        case .status: return await read(request) { await status() }
        case .variables: return await read(request) { await Variables(databases).response() }
        case .page: return ServerAnswer.unknownURL
        case .logging:
            guard let logging else { return ServerAnswer.unknownURL }
            return await LogEndpoint(control: logging).respond(to: request)
        }
    }

    /// Responds to a request for a read-only resource.
    private func read(_ request: Request, _ answer: () async -> Response) async -> Response {
        guard request.method == .get || request.method == .head else {
            let allowed = "GET, HEAD"
            return request.method == .options
                ? Response(status: .noContent, headers: [.allow: allowed]) : ServerAnswer.methodNotAllowed(allowed)
        }
        let response = await answer()
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func status() async -> Response {
        do {
            return try await StatusAnswer.response(databases)
        } catch {
            return ServerAnswer.error(.serviceUnavailable, "Service Unavailable", "A database cannot be read: \(error)")
        }
    }

    private func databaseList(_ query: Query) -> Response {
        let running = databases.names.compactMap { databases[$0] }
        guard (try? query.bool("verbose")) == true else { return ServerAnswer.names(running.map(\.database.name)) }
        return SessionAnswer.answer(
            .array(
                running.map {
                    .object([
                        JSONMember("db_name", .string($0.database.name)), JSONMember("bucket", .string($0.database.name)),
                        JSONMember("state", .string($0.state)),
                    ])
                }))
    }

    /// The reply for a database that is not served. It is 503 while the database is being changed, because 2.x+ clients stop permanently at
    /// 404.
    private func missing(_ name: String, _ request: Request, _ target: RequestTarget) -> Response {
        if databases.isChanging(name) {
            return ServerAnswer.error(.serviceUnavailable, "Service Unavailable", "DB is currently under maintenance")
        }
        if databases.isHeld(name) {
            return ServerAnswer.error(.serviceUnavailable, "Service Unavailable", DatabaseRegistry.heldBack(name))
        }
        if port == .public, request.method == .put, target.segments.count == 1 {
            return ServerAnswer.error(.forbidden, "Forbidden", "Creating a DB over the public API is unsupported")
        }
        return ServerAnswer.error(.notFound, "not_found", "no such database \"\(name)\"")
    }

    /// The refusal of a WebSocket from a page of a foreign origin. Browsers leave this check to the server. Native clients send no origin.
    private func refusal(ofPageThatSends request: Request, _ lease: DatabaseLease) -> Response? {
        guard let origin = request.foreignOrigin, !lease.running.access.configuration.cors.allows(origin) else { return nil }
        let host = request.head.authority ?? ""
        return ServerAnswer.error(.forbidden, "Forbidden", "request Origin \"\(origin)\" is not authorized for Host \"\(host)\"")
    }

    private func blipSync(
        _ request: Request, _ info: RequestInfo, _ lease: DatabaseLease, _ caller: Caller, login: ShutdownSignal?
    ) -> Response {
        guard request.method == .get, request.wantsWebSocket else {
            return .upgradeRequired
        }
        if port == .public, let refusal = refusal(ofPageThatSends: request, lease) { return refusal }
        guard let subprotocol = ModernListener.choose(from: request.webSocketProtocols) else {
            return ServerAnswer.error(.internalServerError, "Internal Server Error", ModernListener.refusal)
        }
        // LiteCore logs this ID.
        let correlation = String(UInt64.random(in: .min ... .max), radix: 16)
        let client = ClientDescription(
            userAgent: request.headers[.userAgent], address: info.remoteAddress?.description, correlation: correlation,
            hasRevisionTrees: ModernListener.hasRevisionTrees(request.webSocketProtocols))
        var limits = WebSocketLimits()
        limits.frameSize = 1 << 20
        limits.messageSize = 1 << 20
        limits.pingInterval = .seconds(300)
        let headers = HTTPField.Name("X-Correlation-Id").map { [$0: correlation] as HTTPFields } ?? [:]
        let leaving = ShutdownSignal(
            following: [lease.running.leaving] + (gate.map { [$0.access.leaving] } ?? []) + (login.map { [$0] } ?? []))
        return .webSocket(subprotocol: subprotocol.rawValue, headers: headers, limits: limits) { [modern] socket in
            await leaving.during {
                try? await lease.running.database.readCollections()
                await modern.serve(
                    BlipSocket(socket), database: lease.running.database, principal: caller.principal, login: caller.proof,
                    subprotocol: subprotocol, client: client,
                    deltas: lease.running.deltas, memory: info.memory)
            } onBegin: {
                // When the database goes offline or the login ends, the connection is dropped, so that the client reconnects.
                socket.drop()
            }
        }
    }
}

extension LegacyLimits {
    init(_ limits: ServerLimits) {
        self.init()
        bodySize = limits.requestSize
        documentPartSize = limits.requestSize
        documents = limits.documents
        openFeeds = limits.openFeeds
        requestRate = limits.requestRate
    }
}
