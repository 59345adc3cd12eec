import Authentication
import BridgeConfiguration
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import LegacyServer
import Logging
import ModernProtocol
import ModernServer
import ReplicationService

/// Responds to the requests of one port, in three steps: it resolves the target to a route and a database, authorises the request, and calls the
/// route's handler. Paths are read raw, so that nothing is decoded twice.
struct Dispatcher: Sendable {
    let databases: DatabaseRegistry
    let port: PortKind
    let logger: Logger
    let legacy: LegacyListener
    let modern: ModernListener
    let server: ServerContext

    /// The gate of the admin port; `nil` for the public port.
    let gate: AdminGate?
    private let routes: RouteIndex
    private let requestLog: RequestLog
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
        self.logger = logger
        port = gate == nil ? .public : .admin
        routes = RouteIndex.of(port)
        server = ServerContext(
            databases: databases, port: port, serverName: serverName, logging: logging, adminLogins: gate?.access.counts,
            certificates: certificates)
        requestLog = RequestLog(logger: logger.of(.http), port: port)
        legacy = LegacyListener(limits: LegacyLimits(databases.configuration.limits), logger: logger.of(.http))
        var sessions = SessionLimits()
        sessions.compressionLevel = databases.configuration.listen.blipCompression
        modern = ModernListener(limits: sessions, logger: logger.of(.sync))
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
        let resolution = routes.resolve(request.method, target)
        var response: Response
        if let gate {
            response = await gate.answer(request, info, resolution.need, context) { await answer($0, info, resolution, context) }
        } else {
            response = await answer(request, info, resolution, context)
        }
        if request.method == .head, !context.isPassedOn { response = response.createHeadResponse() }
        databases.requests.count(RequestClass(target), port, response.status, after: .now - start)
        guard port == .public, target.segments.count > 1, !context.isPassedOn else { return response }
        return LegacyListener.readable(response, of: request, endpoint: target.segments[1].value)
    }

    /// Responds to a request that the port's gate has admitted.
    private func answer(_ request: Request, _ info: RequestInfo, _ resolution: Resolution, _ context: RequestContext) async -> Response {
        switch resolution.place {
        case .server:
            // The bridge's own paths, such as those for health checks, stay its own.
            if resolution.isRoot || resolution.route == nil, let response = await passOn(request, info, context) { return response }
            return await call(request, resolution)
        case .unnamed(let name):
            if let response = await passOn(request, info, context) { return response }
            return missing(name, request, resolution.target)
        case .keyspace(let place):
            let own = databases.trailID(place.database)
            guard let trail = request.trail else {
                return ServerAnswer.error(
                    .badRequest, "bad_request", "the header \(ViaHeader.header) is malformed: it has to be a list of databases' IDs")
            }
            guard !trail.ids.contains(own) else {
                databases.reportLoop(place.database)
                return LoopAnswer.response(place.database)
            }
            return await ViaHeader.$current.withValue(trail.adding(own)) { await answer(request, info, resolution, place, context) }
        }
    }

    private func answer(
        _ request: Request, _ info: RequestInfo, _ resolution: Resolution, _ place: KeyspaceName, _ context: RequestContext
    ) async -> Response {
        if case .routes(let path, let parameters) = resolution.found, path.stage == .registered {
            guard case .registered(let handler)? = resolution.route?.handler else { return path.refusal(of: request.method) }
            // These handlers check no login: the port's gate has done so.
            guard gate != nil else { return ServerAnswer.unknownURL }
            let call = DatabaseCall(
                request: request, query: resolution.target.query, place: place, databases: databases, parameters: parameters)
            return await call.respond(by: handler, logger: logger.of(.admin))
        }
        guard let lease = databases.lease(place.database) else {
            if !databases.isKnown(place.database), let response = await passOn(request, info, context) {
                return response
            }
            return missing(place.database, request, resolution.target)
        }
        return await answer(
            KeyspaceRequest(request: request, info: info, resolution: resolution, place: place, lease: lease, context: context))
    }

    /// The reply for a database that is not served. It is 503 while the database is being changed or its store is unreachable, because 2.x+
    /// clients stop permanently at 404.
    private func missing(_ name: String, _ request: Request, _ target: RequestTarget) -> Response {
        if databases.unreachable[name] != nil { return ServerAnswer.unavailable(AdminError.unreachable(name).reason) }
        if databases.isChanging(name) { return ServerAnswer.unavailable("DB is currently under maintenance") }
        if databases.isHeld(name) {
            return ServerAnswer.error(.serviceUnavailable, "Service Unavailable", DatabaseRegistry.heldBack(name))
        }
        if port == .public, request.method == .put, target.segments.count == 1 {
            return ServerAnswer.error(.forbidden, "Forbidden", "Creating a DB over the public API is unsupported")
        }
        return ServerAnswer.error(.notFound, "not_found", "no such database \"\(name)\"")
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
