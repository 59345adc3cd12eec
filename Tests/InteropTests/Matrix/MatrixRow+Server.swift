@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

extension MatrixRow {
    /// What the server itself serves behind a database's name. Of what is for administrators, others are not even told that it is there.
    static let ofDatabase: [MatrixRow] =
        ["GET", "HEAD"].flatMap { method in
            [
                // Clients find out here whether they have to log in.
                MatrixRow("\(method) _session", "_session", insider: 200, outsider: 200, shutOut: 200),
                MatrixRow("\(method) _session/*", "_session/abc", insider: 404, outsider: 404),
                MatrixRow("\(method) _user", "_user/", insider: 404, outsider: 404, administrator: 200),
                MatrixRow(
                    "\(method) _user/*/_documents", "_user/insider/_documents", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _user/*", "_user/insider", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _role", "_role/", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _role/*", "_role/abc", insider: 404, outsider: 404),
                MatrixRow("\(method) _fleet", "_fleet", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _explain/*", "_explain/ID", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _replication", "_replication/", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _replication/*", "_replication/abc", insider: 404, outsider: 404),
                MatrixRow("\(method) _replicationStatus", "_replicationStatus/", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _parked", "_parked", insider: 404, outsider: 404, administrator: 200),
                MatrixRow("\(method) _replicationStatus/*", "_replicationStatus/abc", insider: 404, outsider: 404),
            ]
        } + [
            MatrixRow("POST _session", "_session", "{}", insider: 200, outsider: 200, administrator: 400, shutOut: 400),
            MatrixRow("DELETE _session/*", "_session/abc", insider: 404, outsider: 404),
            MatrixRow("POST _user", "_user/", "{}", insider: 404, outsider: 404, administrator: 400),
            MatrixRow("PUT _user/*", "_user/insider", #"{"name":"other"}"#, insider: 404, outsider: 404, administrator: 400),
            MatrixRow("DELETE _user/*", "_user/abc", insider: 404, outsider: 404),
            MatrixRow("DELETE _user/*/_session", "_user/abc/_session", insider: 404, outsider: 404, administrator: 200),
            MatrixRow("DELETE _user/*/_session/*", "_user/insider/_session/abc", insider: 404, outsider: 404),
            MatrixRow("POST _role", "_role/", "{}", insider: 404, outsider: 404, administrator: 400),
            MatrixRow("PUT _role/*", "_role/abc", #"{"name":"other"}"#, insider: 404, outsider: 404, administrator: 400),
            MatrixRow("DELETE _role/*", "_role/abc", insider: 404, outsider: 404),
            MatrixRow("POST _parked", "_parked", "{}", insider: 404, outsider: 404, administrator: 400),
            MatrixRow("POST _replication", "_replication/", "{}", insider: 404, outsider: 404, administrator: 400),
            MatrixRow("PUT _replication/*", "_replication/abc", "{}", insider: 404, outsider: 404, administrator: 400),
            MatrixRow("DELETE _replication/*", "_replication/abc", insider: 404, outsider: 404),
            MatrixRow("PUT _replicationStatus/*", "_replicationStatus/abc?action=stop", insider: 404, outsider: 404),
        ] + ["_facebook", "_persona", "_google"].map { MatrixRow("POST \($0)", $0, "{}", insider: 404, outsider: 404, shutOut: 404) }
        + ["_oidc", "_oidc_challenge", "_oidc_callback", "_oidc_refresh"].map {
            MatrixRow("GET \($0)", $0, insider: 404, outsider: 404, shutOut: 404)
        } + [MatrixRow("DELETE _session", "_session", insider: 200, outsider: 200, administrator: 405, changes: true)]

    /// What the server answers outside of any database, whoever asks.
    static let ofServer =
        ["GET", "HEAD"].flatMap { method in
            [
                MatrixRow("\(method) ", "", insider: 200, outsider: 200, shutOut: 200),
                MatrixRow("\(method) _ping", "_ping", insider: 200, outsider: 200, shutOut: 200),
                MatrixRow("\(method) _status", "_status", insider: 404, outsider: 404, administrator: 200, shutOut: 404),
                MatrixRow("\(method) _expvar", "_expvar", insider: 404, outsider: 404, administrator: 200, shutOut: 404),
                MatrixRow("\(method) _all_dbs", "_all_dbs", insider: 404, outsider: 404, administrator: 200, shutOut: 404),
                MatrixRow("\(method) metrics", "metrics", insider: 404, outsider: 404, administrator: 200, shutOut: 404),
                MatrixRow("\(method) _logging", "_logging", insider: 404, outsider: 404, administrator: 200, shutOut: 404),
                MatrixRow("\(method) _ui", "_ui/", insider: 404, outsider: 404, administrator: 200, shutOut: 404),
            ]
                + PageFile.allCases.map(\.rawValue).filter { !$0.isEmpty }.map {
                    MatrixRow("\(method) _ui/\($0)", "_ui/\($0)", insider: 404, outsider: 404, administrator: 200, shutOut: 404)
                }
        }
        + ["PUT", "POST"].map {
            MatrixRow("\($0) _logging", "_logging", #"{"level":"loud"}"#, insider: 404, outsider: 404, administrator: 400, shutOut: 404)
        }

    /// What Sync Gateway has on its admin port and this server does not, or not yet: it must not fall to somebody else on the public port.
    static let unserved = [
        ("GET", "_raw/ID"), ("GET", "_revtree/ID"), ("POST", "_purge"), ("POST", "_compact"), ("GET", "_config"), ("PUT", "_config"),
        ("POST", "_config"), ("POST", "_online"), ("POST", "_offline"), ("POST", "_flush"), ("POST", "_resync"), ("GET", "_resync"),
        ("GET", "_cutover"), ("POST", "_cutover"), ("GET", "_fleet"), ("GET", "_migrations"), ("POST", "_migrations"), ("POST", "_repair"),
        ("GET", "_dumpchannel/secret"), ("GET", "_dump/channels"), ("GET", "_view/channels"), ("GET", "_debug"), ("GET", "_replication"),
        ("POST", "_replicate"), ("GET", "_security"), ("PUT", "_security"), ("POST", "_temp_view"), ("GET", "_stats"),
    ]
}
