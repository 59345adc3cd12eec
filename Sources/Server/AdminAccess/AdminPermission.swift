import BridgeConfiguration
import HTTP
import HTTPTypes
import LegacyServer

/// The role that a kind of request on the admin port requires.
struct AdminPermission: Sendable {
    /// The subject of a request.
    enum Subject: Hashable, Sendable {
        /// `GET /`
        case root
        case server(ServerRoute)
        /// The server's own endpoints below a database's name, such as `_cutover`.
        case database([AdminRoute.Segment])
        /// The 1.x listener's endpoints below a keyspace's name.
        case keyspace(LegacyRoute.Pattern)
    }

    /// The least role required; `nil` if no login is required.
    let role: AdminRole?
    let methods: [HTTPRequest.Method]
    let subject: Subject

    init(_ role: AdminRole?, _ methods: [HTTPRequest.Method], _ subject: Subject) {
        self.role = role
        self.methods = methods
        self.subject = subject
    }

    /// The requirement of a request. Requests without an entry in the table require an administrator.
    struct Need: Hashable, Sendable {
        /// `nil` if no login is required.
        let role: AdminRole?

        /// Whether the request may change something.
        let isChange: Bool
    }

    static func need(of method: HTTPRequest.Method, _ target: RequestTarget, table: [AdminPermission] = table) -> Need {
        // The reply only lists the methods of a path.
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

    /// The kind of a target's destination, by the dispatcher's rules.
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

    /// The permissions of each role, for the whole admin port. Requests without an entry require an administrator.
    ///
    /// Only administrators write documents, because no sync function refuses a write on this port.
    static let table: [AdminPermission] = open + readPermissions + operatorPermissions + sockets

    /// Load balancers have no login.
    private static let open = [AdminPermission(nil, reading, .server(.ping))]

    private static let readPermissions: [AdminPermission] =
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
            // The body selects the documents to read.
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

    private static let operatorPermissions: [AdminPermission] =
        [AdminPermission(.operator, [.put, .post], .server(.logging))]
        + [
            ["_cutover"], ["_migrations"], ["_resync"], ["_online"], ["_offline"], ["_compact"], ["_parked"], ["_session"],
        ].map { AdminPermission(.operator, [.post], .database(path($0))) }
        + [
            ["_session", "*"], ["_user", "*", "_session"], ["_user", "*", "_session", "*"],
        ].map { AdminPermission(.operator, [.delete], .database(path($0))) }
        // Starting and stopping only. The definitions of replications are configuration.
        + [AdminPermission(.operator, [.put], .database(path(["_replicationStatus", "*"])))]

    /// Clients write documents through it, although the request is a `GET`.
    private static let sockets = [AdminPermission(.administrator, [.get], .database(path(["_blipsync"])))]

    private static func path(_ segments: [String]) -> [AdminRoute.Segment] {
        segments.map { $0 == "*" ? .any : .exactly($0) }
    }
}
