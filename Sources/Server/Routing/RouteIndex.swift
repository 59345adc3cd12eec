import BridgeConfiguration
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyServer

/// The routes of one port, indexed by their paths.
struct RouteIndex: Sendable {
    private let server: PathTable<PathRoutes>

    /// Below a database's or a collection's name.
    private let keyspace: PathTable<PathRoutes>
    private let legacy: [LegacyRoute.Pattern: MethodTable<HTTPRoute>]

    private static let `public` = RouteIndex(.public)
    private static let admin = RouteIndex(.admin)

    static func of(_ port: PortKind) -> RouteIndex {
        switch port {
        case .public: .public
        case .admin: .admin
        }
    }

    private init(_ port: PortKind) {
        var server: [PathPattern: [HTTPRoute]] = [:]
        var keyspace: [PathPattern: [HTTPRoute]] = [:]
        var legacy: [LegacyRoute.Pattern: [HTTPRoute]] = [:]
        for route in HTTPRoute.all where route.ports.contains(port) {
            switch route.pattern {
            case .path(let path) where route.place == .server: server[path, default: []].append(route)
            case .path(let path): keyspace[path, default: []].append(route)
            case .legacy(let pattern): legacy[pattern, default: []].append(route)
            }
        }
        self.server = PathTable(server.compactMap { path, routes in PathRoutes(routes).map { (path, $0) } })
        self.keyspace = PathTable(keyspace.compactMap { path, routes in PathRoutes(routes).map { (path, $0) } })
        self.legacy = legacy.mapValues { MethodTable($0.map { ($0.methods, $0) }) }
    }

    /// Finds the place and the route of a request.
    func resolve(_ method: HTTPRequest.Method, _ target: RequestTarget) -> Resolution {
        guard let first = target.segments.first, !first.isEmpty else {
            let isRoot = target.segments.count <= 1
            return Resolution(method, target, .server, isRoot ? server.match([]) : nil)
        }
        // Server-wide names begin with an underscore; databases never do.
        let isReserved = first.value.hasPrefix("_")
        if isReserved || target.segments.count == 1 && !target.hasTrailingSlash {
            let match = server.match(target.segments[...])
            if isReserved || match != nil { return Resolution(method, target, .server, match) }
        }
        let name = KeyspaceName(first.value)
        return resolve(method, target, name.map { .keyspace($0) } ?? .unnamed(first.value), isCollection: name?.collection != nil)
    }

    private func resolve(
        _ method: HTTPRequest.Method, _ target: RequestTarget, _ place: Resolution.Place, isCollection: Bool
    ) -> Resolution {
        let path = target.segments.dropFirst()
        let match = keyspace.match(path)
        let isHere = match.map { !isCollection || $0.value.place == .keyspace } ?? false
        // The 1.x listener serves the other methods of the keyspace itself.
        if let match, isHere, match.value[method] != nil || !path.isEmpty { return Resolution(method, target, place, match) }
        let resource = LegacyMatch(target)
        let route = resource.pattern.flatMap { legacy[$0]?[method] }
        // A path that only the database has needs the same role below a collection, where it is unknown.
        let need = AdminNeed(method, route ?? match?.value[method])
        return Resolution(target: target, place: place, found: .legacy(resource), route: route, need: need)
    }
}

/// The routes of one path on one port. They differ in methods, audience and handler only.
struct PathRoutes: Sendable {
    private let methods: MethodTable<HTTPRoute>
    private let first: HTTPRoute

    /// - Returns: `nil` for no routes.
    init?(_ routes: [HTTPRoute]) {
        guard let first = routes.first else { return nil }
        self.first = first
        methods = MethodTable(routes.map { ($0.methods, $0) })
    }

    subscript(method: HTTPRequest.Method) -> HTTPRoute? { methods[method] }

    var place: HTTPRoute.Place { first.place }
    var stage: HTTPRoute.Stage { first.stage }
    var requirement: HTTPRoute.Requirement? { first.requirement }

    /// Whether the path is `/`.
    var isRoot: Bool { first.place == .server && first.pattern == .path("") }

    /// The reply to a method that the path does not have.
    func refusal(of method: HTTPRequest.Method) -> Response {
        first.refusal.response(to: method, allow: methods.allow)
    }
}

/// What the target of a request names on one port.
struct Resolution: Sendable {
    enum Place: Sendable {
        case server
        case keyspace(KeyspaceName)
        /// A name that no database can have.
        case unnamed(String)
    }

    enum Found: Sendable {
        case routes(PathRoutes, parameters: [String])
        /// The 1.x listener serves or refuses all other paths below a keyspace.
        case legacy(LegacyMatch)
        case nothing
    }

    let target: RequestTarget
    let place: Place
    let found: Found

    /// The route of the path and the method; `nil` if there is none.
    let route: HTTPRoute?

    /// What the request requires on the admin port.
    let need: AdminNeed

    /// Whether the path is `/`.
    var isRoot: Bool {
        if case .routes(let path, _) = found { path.isRoot } else { false }
    }
}

extension Resolution {
    fileprivate init(
        _ method: HTTPRequest.Method, _ target: RequestTarget, _ place: Place, _ match: (value: PathRoutes, parameters: [String])?
    ) {
        let route = match?.value[method]
        self.init(
            target: target, place: place, found: match.map { .routes($0.value, parameters: $0.parameters) } ?? .nothing, route: route,
            need: AdminNeed(method, route))
    }
}
