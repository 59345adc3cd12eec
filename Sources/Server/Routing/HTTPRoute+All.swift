import BridgeConfiguration
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyServer
import Storage

extension HTTPRoute {
    /// All routes of both ports. The admin port requires an administrator for any other request.
    static let all = serverWide + databases + accounts + tokens + replications + [blipSync] + legacy

    private static let reading: [HTTPRequest.Method] = [.get, .head]

    private static let serverWide: [HTTPRoute] = [
        server(reading, "", public: .everybody, admin: .role(.readOnly), ServerEndpoint.welcome),
        // Load balancers have no login.
        server(reading, "_ping", public: .everybody, admin: .everybody, ServerEndpoint.ping),
        server(reading, "_all_dbs", admin: .role(.readOnly), ServerEndpoint.databases),
        // The customary path without an underscore. A database of this name is reached with a slash after it.
        server(reading, "metrics", admin: .role(.readOnly), ServerEndpoint.metrics),
        server(reading, "_status", admin: .role(.readOnly), ServerEndpoint.status),
        // The counts that monitoring of Sync Gateway reads.
        server(reading, "_expvar", admin: .role(.readOnly), ServerEndpoint.variables),
        // The admin page and, below it, its files.
        server(reading, "_ui/**", admin: .role(.readOnly), ServerEndpoint.page),
        server(reading, "_logging", admin: .role(.readOnly), requires: .logControl, refusal: .strict, ServerEndpoint.log),
        server([.put, .post], "_logging", admin: .role(.operator), requires: .logControl, refusal: .strict, ServerEndpoint.changeLog),
    ]

    /// The administration of whole databases.
    private static let databases: [HTTPRoute] = [
        registered([.put], "", .administrator, ConfigurationEndpoint.create),
        registered([.delete], "", .administrator, ConfigurationEndpoint.remove),
        registered(reading, "_config", .readOnly, ConfigurationEndpoint.get),
        registered([.put], "_config", .administrator, ConfigurationEndpoint.replace),
        registered([.post], "_config", .administrator, ConfigurationEndpoint.overlay),
        registered(reading, "_config/sync", of: .keyspace, .readOnly, SyncFunctionEndpoint.get),
        registered([.put], "_config/sync", of: .keyspace, .administrator, SyncFunctionEndpoint.put),
        registered([.delete], "_config/sync", of: .keyspace, .administrator, SyncFunctionEndpoint.delete),
        registered([.post], "_online", .operator, StateEndpoint.goOnline),
        registered([.post], "_offline", .operator, StateEndpoint.goOffline),
        registered([.post], "_flush", .administrator, StateEndpoint.flush),
        registered(reading, "_resync", .readOnly, ResyncEndpoint.describe),
        registered([.post], "_resync", .operator, ResyncEndpoint.run),
        registered(reading, "_overview", .readOnly, OverviewEndpoint.get),
        registered(reading, "_migrations", .readOnly, MigrationEndpoint.describe),
        registered([.post], "_migrations", .operator, MigrationEndpoint.run),
        registered(reading, "_cutover", .readOnly, CutoverEndpoint.describe),
        registered([.post], "_cutover", .operator, CutoverEndpoint.run),
        registered(reading, "_cutover/comparison", .readOnly, ComparisonEndpoint.describe),
        registered([.post], "_cutover/comparison", .operator, ComparisonEndpoint.start),
        registered([.delete], "_cutover/comparison", .operator, ComparisonEndpoint.stop),
        registered(reading, "_cutover/devices", .readOnly, DevicesEndpoint.describe),
        registered([.post], "_cutover/devices", .operator, DevicesEndpoint.change),
        registered(reading, "_compact", .readOnly, CompactionEndpoint.describe),
        registered([.post], "_compact", .operator, CompactionEndpoint.run),
        registered([.post], "_purge", of: .keyspace, .administrator, PurgeEndpoint.purge),
        registered(reading, "_raw/*", of: .keyspace, .readOnly, RawDocumentEndpoint.get),
        registered(reading, "_revtree/*", of: .keyspace, .readOnly, RawDocumentEndpoint.tree),
        online(reading, "_fleet", .readOnly, FleetEndpoint.get),
        online(reading, "_explain/*", .readOnly, ExplanationEndpoint.get),
    ]

    /// Logins, sessions, users and roles.
    private static let accounts: [HTTPRoute] = [
        HTTPRoute(
            reading, .path("_session"), of: .database, public: .everybody, admin: .role(.readOnly), refusal: .plain,
            .online(LoginEndpoint.describe)),
        open([.post], "_session", LoginEndpoint.login),
        open([.delete], "_session", LoginEndpoint.logout),
        online([.post], "_session", .operator, SessionEndpoint.create),
        online(reading, "_session/*", .readOnly, SessionEndpoint.get),
        online([.delete], "_session/*", .operator, SessionEndpoint.delete),
        online(reading, "_user", .readOnly, AccountEndpoint.listUsers),
        online([.post], "_user", .administrator, AccountEndpoint.post(.user)),
        online(reading, "_user/*", .readOnly, AccountEndpoint.get(.user)),
        online([.put], "_user/*", .administrator, AccountEndpoint.put(.user)),
        online([.delete], "_user/*", .administrator, AccountEndpoint.delete(.user)),
        online(reading, "_user/*/_documents", .readOnly, SeenDocumentsEndpoint.list),
        online([.delete], "_user/*/_session", .operator, SessionEndpoint.deleteAll),
        online([.delete], "_user/*/_session/*", .operator, SessionEndpoint.deleteOfUser),
        online(reading, "_role", .readOnly, AccountEndpoint.listRoles),
        online([.post], "_role", .administrator, AccountEndpoint.post(.role)),
        online(reading, "_role/*", .readOnly, AccountEndpoint.get(.role)),
        online([.put], "_role/*", .administrator, AccountEndpoint.put(.role)),
        online([.delete], "_role/*", .administrator, AccountEndpoint.delete(.role)),
    ]

    private static let tokens = TokenEndpoint.allCases.map { endpoint in
        HTTPRoute(
            [endpoint.method], .path(PathPattern(endpoint.rawValue)), of: .database, public: .everybody, admin: .role(.administrator),
            requires: .login(endpoint), refusal: .strict, .online { await $0.logIn(at: endpoint) })
    }

    /// Only on the admin port, because a replication can make the bridge connect to any address. Operators start and stop replications; their
    /// definitions are configuration.
    private static let replications: [HTTPRoute] = [
        online(reading, "_replication", .readOnly, ReplicationEndpoint.list),
        online([.post], "_replication", .administrator, ReplicationEndpoint.post),
        online(reading, "_replication/*", .readOnly, ReplicationEndpoint.get),
        online([.put], "_replication/*", .administrator, ReplicationEndpoint.put),
        online([.delete], "_replication/*", .administrator, ReplicationEndpoint.delete),
        online(reading, "_replicationStatus", .readOnly, ReplicationStatusEndpoint.list),
        online(reading, "_replicationStatus/*", .readOnly, ReplicationStatusEndpoint.get),
        online([.put], "_replicationStatus/*", .operator, ReplicationStatusEndpoint.put),
        online(reading, "_parked", .readOnly, ParkedEndpoint.list),
        online([.post], "_parked", .operator, ParkedEndpoint.post),
    ]

    /// Clients write documents through it, although the request is a `GET`.
    private static let blipSync = HTTPRoute(
        [.get], .path("_blipsync"), of: .database, public: .caller, admin: .role(.administrator), lasts: true, refusal: .upgrade, .blipSync)

    /// The 1.x protocol. On the admin port only administrators write documents, because no sync function refuses a write there.
    private static let legacy = LegacyRoute.table.map { route in
        HTTPRoute(
            route.methods, .legacy(route.pattern), of: .keyspace, public: route.audience == .everyone ? .caller : .nobody,
            admin: .role(route.isReading ? .readOnly : .administrator), lasts: route.pattern == .endpoint("_changes"), refusal: .plain,
            .legacy)
    }
}

extension HTTPRoute {
    private static func server(
        _ methods: [HTTPRequest.Method], _ path: PathPattern, public: Audience = .nobody, admin: Audience,
        requires requirement: Requirement? = nil, refusal: MethodRefusal = .named,
        _ handler: @escaping @Sendable (ServerCall) async -> Response
    ) -> HTTPRoute {
        HTTPRoute(
            methods, .path(path), of: .server, public: `public`, admin: admin, requires: requirement, refusal: refusal, .server(handler))
    }

    private static func registered(
        _ methods: [HTTPRequest.Method], _ path: PathPattern, of place: Place = .database, _ role: AdminRole,
        _ handler: @escaping @Sendable (DatabaseCall) async throws -> Response
    ) -> HTTPRoute {
        HTTPRoute(methods, .path(path), of: place, admin: .role(role), refusal: .strict, .registered(handler))
    }

    private static func online(
        _ methods: [HTTPRequest.Method], _ path: PathPattern, _ role: AdminRole,
        _ handler: @escaping @Sendable (AdminCall) async throws -> Response
    ) -> HTTPRoute {
        HTTPRoute(methods, .path(path), of: .database, admin: .role(role), refusal: .plain, .online(handler))
    }

    /// On the public port only, without a login.
    private static func open(
        _ methods: [HTTPRequest.Method], _ path: PathPattern, _ handler: @escaping @Sendable (AdminCall) async throws -> Response
    ) -> HTTPRoute {
        HTTPRoute(methods, .path(path), of: .database, public: .everybody, admin: .nobody, refusal: .plain, .online(handler))
    }
}
