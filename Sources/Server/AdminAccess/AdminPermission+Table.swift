import HTTPTypes
import LegacyReplication

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
