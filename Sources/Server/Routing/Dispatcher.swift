import Access
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyReplication
import Logging
import ModernReplication
import NIOCore

/// Brings a request of one port to the room that answers it: by the raw path, before anything in it is decoded twice.
struct Dispatcher: Sendable {
    let databases: DatabaseRegistry
    let port: PortKind
    let serverName: String
    let logger: Logger
    private let legacy = LegacyListener()
    private let modern: ModernListener
    private let admin: AdminListener

    init(databases: DatabaseRegistry, port: PortKind, serverName: String, logger: Logger) {
        self.databases = databases
        self.port = port
        self.serverName = serverName
        self.logger = logger
        modern = ModernListener(logger: logger)
        admin = AdminListener(port: port, logger: logger)
    }

    @Sendable
    func respond(_ request: Request, _ info: RequestInfo) async -> Response {
        let target: RequestTarget
        do {
            target = try RequestTarget(request.head.path ?? "/")
        } catch {
            return ServerAnswer.error(.badRequest, "bad_request", error.message)
        }
        guard let first = target.segments.first, !first.isEmpty else {
            return target.segments.count > 1 ? ServerAnswer.unknownURL : root(request)
        }
        // Server-wide names begin with an underscore; databases never do.
        if first.value.hasPrefix("_") { return target.segments.count == 1 ? serverWide(first.value, request) : ServerAnswer.unknownURL }
        guard let place = KeyspaceName(first.value), let database = databases[place.database],
            let access = databases.access(to: place.database)
        else {
            return ServerAnswer.error(.notFound, "not_found", "no such database \"\(first.value)\"")
        }
        if place.collection == nil, target.segments.count == 2, let endpoint = TokenEndpoint(rawValue: target.segments[1].value) {
            guard let tokens = access.tokens else { return ServerAnswer.unknownURL }
            return await tokens.respond(to: request, at: endpoint, target: target, info: info)
        }
        if place.collection == nil,
            let response = await admin.respond(
                to: request, info, target: target, database: database, access: access, replications: databases.replications(of: place.database))
        {
            return response
        }
        do {
            let caller = try await caller(of: request, info, access)
            return caller.stamp(await respond(to: request, info, target, database, place, caller.principal))
        } catch {
            return AccessAnswer(sendsChallenge: access.configuration.sendsChallenge, logger: logger).response(to: error)
        }
    }

    /// Answers somebody who has been let in.
    private func respond(
        to request: Request, _ info: RequestInfo, _ target: RequestTarget, _ database: Database, _ place: KeyspaceName,
        _ principal: Principal
    ) async -> Response {
        if target.segments.count == 2, target.segments[1].value == "_blipsync", place.collection == nil {
            return blipSync(request, info, database, principal)
        }
        guard let keyspace = place.keyspace(in: database) else {
            return ServerAnswer.error(.notFound, "not_found", "keyspace \(target.segments[0].value) not found")
        }
        let plain: Request
        do {
            plain = try request.decompressed(maximumSize: legacy.limits.bodySize)
        } catch {
            return (error as? RequestError ?? RequestError(.badRequest, reason: "the body cannot be decompressed", cause: error)).response
        }
        return await legacy.respond(
            to: plain, target: target, in: keyspace.seen(by: principal), caller: LegacyCaller(isAdministrator: principal.isAdministrator),
            info: info)
    }

    private func caller(of request: Request, _ info: RequestInfo, _ access: DatabaseAccess) async throws -> Caller {
        switch port {
        case .admin: Caller(principal: .administrator)
        case .public: try await access.caller(of: request, info)
        }
    }

    private func root(_ request: Request) -> Response {
        guard request.method == .get || request.method == .head else { return ServerAnswer.methodNotAllowed("GET, HEAD") }
        let response = ServerAnswer.welcome(serverName: serverName, isAdmin: port == .admin)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func serverWide(_ name: String, _ request: Request) -> Response {
        guard let route = ServerRoute(rawValue: name), route.ports.contains(port) else { return ServerAnswer.unknownURL }
        guard request.method == .get || request.method == .head else { return ServerAnswer.methodNotAllowed("GET, HEAD") }
        let response =
            switch route {
            case .ping: ServerAnswer.json(.ok, Array(#"{"status":"ok"}"#.utf8))
            case .allDatabases: ServerAnswer.names(databases.names)
            }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func blipSync(_ request: Request, _ info: RequestInfo, _ database: Database, _ principal: Principal) -> Response {
        guard request.method == .get, request.wantsWebSocket else {
            return .upgradeRequired
        }
        guard let subprotocol = ModernListener.choose(from: request.webSocketProtocols) else {
            return ServerAnswer.error(.internalServerError, "Internal Server Error", ModernListener.refusal)
        }
        let client = ClientDescription(userAgent: request.headers[.userAgent], address: info.remoteAddress?.description)
        var limits = WebSocketLimits()
        limits.frameSize = 1 << 20
        limits.messageSize = 1 << 20
        limits.pingInterval = .seconds(300)
        return .webSocket(subprotocol: subprotocol.rawValue, limits: limits) { [modern] socket in
            await modern.serve(BlipSocket(socket), database: database, principal: principal, subprotocol: subprotocol, client: client)
        }
    }
}
