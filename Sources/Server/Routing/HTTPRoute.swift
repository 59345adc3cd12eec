import BridgeConfiguration
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyServer

/// A kind of request that the server serves, with its audience on each port.
struct HTTPRoute: Sendable {
    /// The part of the path that precedes the pattern.
    enum Place: Hashable, Sendable {
        case server
        /// `/{db}`
        case database
        /// `/{db}`, and `/{db}.{scope}.{collection}`
        case keyspace
    }

    enum Pattern: Hashable, Sendable {
        case path(PathPattern)
        /// 1.x reads paths by rules of its own.
        case legacy(LegacyRoute.Pattern)
    }

    /// The callers on one port.
    enum Audience: Hashable, Sendable {
        /// The port responds as if the route did not exist.
        case nobody
        /// No login is required.
        case everybody
        /// Logins and guests that the database's rules admit. Only on the public port.
        case caller
        /// Administrators with at least this role. Only on the admin port.
        case role(AdminRole)
    }

    /// A part of the configuration without which the path is unknown.
    enum Requirement: Hashable, Sendable {
        /// Settings of the log that can be changed.
        case logControl
        case login(TokenEndpoint)
    }

    let methods: [HTTPRequest.Method]
    let place: Place
    let pattern: Pattern
    private let onPublic: Audience
    private let onAdmin: Audience

    /// Whether the connection lasts: feeds and WebSockets. It ends with its login.
    let lasts: Bool
    let requirement: Requirement?
    let refusal: MethodRefusal
    let handler: Handler

    init(
        _ methods: [HTTPRequest.Method], _ pattern: Pattern, of place: Place, public: Audience = .nobody, admin: Audience,
        lasts: Bool = false, requires requirement: Requirement? = nil, refusal: MethodRefusal, _ handler: Handler
    ) {
        self.methods = methods
        self.place = place
        self.pattern = pattern
        onPublic = `public`
        onAdmin = admin
        self.lasts = lasts
        self.requirement = requirement
        self.refusal = refusal
        self.handler = handler
    }

    func audience(on port: PortKind) -> Audience {
        switch port {
        case .public: onPublic
        case .admin: onAdmin
        }
    }

    /// The ports that serve the route.
    var ports: [PortKind] { PortKind.allCases.filter { audience(on: $0) != .nobody } }

    /// The class of the route's requests in the metrics: the name of the endpoint.
    var requestClass: String {
        switch pattern {
        case .path(let pattern):
            if case .exactly(let name)? = pattern.segments.first { name } else { place == .server ? "root" : "database" }
        case .legacy(.keyspace): "database"
        case .legacy(.endpoint(let name)): name
        case .legacy(.local): "_local"
        case .legacy(.design): "_design"
        case .legacy(.document): "document"
        case .legacy(.attachment): "attachment"
        }
    }
}

extension HTTPRoute {
    /// The code that responds.
    enum Handler: Sendable {
        case server(@Sendable (ServerCall) async -> Response)
        /// Of a database that may be missing or offline.
        case registered(@Sendable (DatabaseCall) async throws -> Response)
        /// Of a database that is online.
        case online(@Sendable (AdminCall) async throws -> Response)
        /// The 2.x+ protocol.
        case blipSync
        /// The 1.x listener, which has the handlers of its routes.
        case legacy
    }

    /// The requirements of a handler that the dispatcher has to meet first.
    enum Stage: Sendable {
        case server, registered, online
        /// The database is online, and the caller has been authenticated.
        case caller
    }

    var stage: Stage {
        switch handler {
        case .server: .server
        case .registered: .registered
        case .online: .online
        case .blipSync, .legacy: .caller
        }
    }
}

/// The reply to a method that a path does not have.
enum MethodRefusal: Sendable {
    /// Sync Gateway's 405, whose reason is empty. `OPTIONS` is answered with the methods.
    case plain
    /// 405 with a reason that names the methods. `OPTIONS` is answered with the methods.
    case named
    /// 405 with a reason that names the methods, also for `OPTIONS`.
    case strict
    /// 426: the path requires a WebSocket.
    case upgrade

    func response(to method: HTTPRequest.Method, allow: String) -> Response {
        switch self {
        case .plain, .named: if method == .options { return Response(status: .noContent, headers: [.allow: allow]) }
        case .strict: break
        case .upgrade: return .upgradeRequired
        }
        let reason = if case .plain = self { "" } else { "Only \(allow) allowed" }
        return ServerAnswer.error(.methodNotAllowed, "Method Not Allowed", reason, headers: [.allow: allow])
    }
}
