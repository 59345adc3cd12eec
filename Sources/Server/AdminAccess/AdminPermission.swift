import BridgeConfiguration
import HTTP
import HTTPTypes
import LegacyServer

/// One entry of the table of what each role may do on the admin port.
struct AdminPermission: Sendable {
    /// What a request is about.
    enum Subject: Hashable, Sendable {
        /// `GET /`
        case root
        case server(ServerRoute)
        /// What the server itself serves behind a database's name, such as `_cutover`.
        case database([AdminRoute.Segment])
        /// What the 1.x listener serves behind a keyspace's name.
        case keyspace(LegacyRoute.Pattern)
    }

    /// The least role that is needed; `nil` if nobody has to log in.
    let role: AdminRole?
    let methods: [HTTPRequest.Method]
    let subject: Subject

    init(_ role: AdminRole?, _ methods: [HTTPRequest.Method], _ subject: Subject) {
        self.role = role
        self.methods = methods
        self.subject = subject
    }

    /// What a request needs. What the table does not have needs an administrator.
    struct Need: Hashable, Sendable {
        /// `nil` if nobody has to log in.
        let role: AdminRole?

        /// Whether the request may change something.
        let isChange: Bool
    }

    static func need(of method: HTTPRequest.Method, _ target: RequestTarget, table: [AdminPermission] = table) -> Need {
        // It tells which methods a path takes.
        if method == .options { return Need(role: .readOnly, isChange: false) }
        let place = Place(target)
        guard let entry = table.first(where: { $0.methods.contains(method) && $0.applies(to: target, place) }) else {
            return Need(role: .administrator, isChange: method != .get && method != .head)
        }
        return Need(role: entry.role, isChange: entry.role.map { $0 > .readOnly } ?? false)
    }

    private func applies(to target: RequestTarget, _ place: Place) -> Bool {
        switch (subject, place) {
        case (.root, .root): true
        case (.server(let route), .server(let named)): route == named
        case (.database(let path), .database): AdminRoute.parameters(of: target.segments.dropFirst(), along: path) != nil
        case (.keyspace(let pattern), .database): LegacyRoute.pattern(of: target, from: 1) == pattern
        default: false
        }
    }

    /// Where a target leads to, as the dispatcher sees it.
    private enum Place {
        case root
        case server(ServerRoute)
        case database
        case nowhere

        init(_ target: RequestTarget) {
            guard let first = target.segments.first, !first.isEmpty else {
                self = target.segments.count > 1 ? .nowhere : .root
                return
            }
            if let route = ServerRoute(target) {
                self = .server(route)
            } else {
                self = first.value.hasPrefix("_") ? .nowhere : .database
            }
        }
    }
}

extension AdminPermission {
    private static let reading: [HTTPRequest.Method] = [.get, .head]

    /// What each role may do, for the whole admin port. A request that is not here needs an administrator.
    ///
    /// Documents are written by administrators alone: on this port no sync function refuses a write.
    static let table: [AdminPermission] = open + looking + running + sockets

    /// Load balancers have no login.
    private static let open = [AdminPermission(nil, reading, .server(.ping))]

    private static let looking: [AdminPermission] =
        [
            AdminPermission(.readOnly, reading, .root),
            AdminPermission(.readOnly, reading, .server(.allDatabases)),
            AdminPermission(.readOnly, reading, .server(.metrics)),
            AdminPermission(.readOnly, reading, .server(.status)),
            AdminPermission(.readOnly, reading, .server(.variables)),
            AdminPermission(.readOnly, reading, .server(.logging)),
            AdminPermission(.readOnly, reading, .server(.page)),
            AdminPermission(.readOnly, reading, .keyspace(.keyspace)),
            AdminPermission(.readOnly, reading, .keyspace(.document)),
            AdminPermission(.readOnly, reading, .keyspace(.attachment)),
            AdminPermission(.readOnly, reading, .keyspace(.design)),
            AdminPermission(.readOnly, reading, .keyspace(.local)),
            // The body says which documents are read.
            AdminPermission(.readOnly, reading + [.post], .keyspace(.endpoint("_changes"))),
            AdminPermission(.readOnly, reading + [.post], .keyspace(.endpoint("_all_docs"))),
            AdminPermission(.readOnly, [.post], .keyspace(.endpoint("_bulk_get"))),
            AdminPermission(.readOnly, [.post], .keyspace(.endpoint("_revs_diff"))),
        ]
        + [
            ["_config"], ["_config", "sync"], ["_resync"], ["_overview"], ["_migrations"], ["_cutover"], ["_compact"], ["_raw", "*"],
            ["_revtree", "*"], ["_session"], ["_session", "*"], ["_user"], ["_user", "*"], ["_role"], ["_role", "*"], ["_fleet"],
            ["_explain", "*"], ["_replication"], ["_replication", "*"], ["_replicationStatus"], ["_replicationStatus", "*"], ["_parked"],
        ].map { AdminPermission(.readOnly, reading, .database(path($0))) }

    private static let running: [AdminPermission] =
        [AdminPermission(.operator, [.put, .post], .server(.logging))]
        + [
            ["_cutover"], ["_migrations"], ["_resync"], ["_online"], ["_offline"], ["_compact"], ["_parked"], ["_session"],
        ].map { AdminPermission(.operator, [.post], .database(path($0))) }
        + [
            ["_session", "*"], ["_user", "*", "_session"], ["_user", "*", "_session", "*"],
        ].map { AdminPermission(.operator, [.delete], .database(path($0))) }
        // Starts and stops. What is replicated with which server is configuration.
        + [AdminPermission(.operator, [.put], .database(path(["_replicationStatus", "*"])))]

    /// Documents are written through it, although it is a `GET`.
    private static let sockets = [AdminPermission(.administrator, [.get], .database(path(["_blipsync"])))]

    private static func path(_ segments: [String]) -> [AdminRoute.Segment] {
        segments.map { $0 == "*" ? .any : .exactly($0) }
    }
}
