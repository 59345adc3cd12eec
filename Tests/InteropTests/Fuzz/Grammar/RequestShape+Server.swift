import LegacyServer

@testable import BridgeConfiguration
@testable import Server

extension RequestShape {
    /// The shape of a route; `nil` where it has none yet.
    static func of(_ route: HTTPRoute) -> RequestShape? {
        switch (route.pattern, route.requirement) {
        case (_, .login(let endpoint)): token(endpoint)
        case (.legacy(let pattern), _): legacy[pattern]
        case (.path(let path), _) where route.place == .server: ofServer["\(path)"]
        case (.path(let path), _): (route.stage == .registered ? ofAdministrators : ofDatabase)["\(path)"]
        }
    }

    /// What the server answers outside of any database.
    static let ofServer: [String: RequestShape] = [
        "": RequestShape(), "_ping": RequestShape(), "metrics": RequestShape(), "_status": RequestShape(), "_expvar": RequestShape(),
        "_ui/**": RequestShape(), "_all_dbs": RequestShape(["verbose": .flag]),
        "_logging": RequestShape(
            json: .object([
                "level": .text(.choice(["trace", "debug", "info", "error"])), "redaction": .text(.choice(["none", "marked", "full"])),
                "format": .text(.choice(["text", "json"])),
                "domains": .map(.choice(["HTTP", "Auth", "Sync"]), .text(.choice(["debug", "info"]))),
                "HTTP": .plain(.flag), "Auth": .plain(.flag),
            ])),
    ]

    /// Logins by tokens of others.
    private static func token(_ endpoint: TokenEndpoint) -> RequestShape {
        switch endpoint {
        case .facebook:
            RequestShape(json: .object(["access_token": .text(.text), "email": .text(.text), "remote_url": .text(.known(.remote))]))
        case .persona: RequestShape(json: .object(["assertion": .text(.text), "remote_url": .text(.known(.remote))]))
        case .google: RequestShape(json: .object(["id_token": .text(.text)]))
        case .oidc, .challenge: RequestShape(["provider": .text, "offline": .flag])
        case .callback: RequestShape(["code": .text, "state": .text, "provider": .text, "error": .text])
        case .refresh: RequestShape(["refresh_token": .text, "provider": .text])
        }
    }

    /// What stands in a path where a table leaves it open, by the segment before.
    static let open: [String: Term] = [
        "_session": .known(.session), "_user": .known(.user), "_role": .known(.role), "_replication": .known(.replication),
        "_replicationStatus": .known(.replication), "_explain": .known(.id), "_raw": .known(.id), "_revtree": .known(.id),
    ]

    /// What the server itself serves behind a database's name, by the paths of its table.
    static let ofDatabase: [String: RequestShape] = [
        "_session": RequestShape(
            json: .object([
                "name": .text(.known(.user)), "password": .text(.choice(["U*U", "wrong", ""])), "one_time": .plain(.flag),
                "ttl": .plain(.number),
            ])),
        "_blipsync": RequestShape(), "_session/*": RequestShape(),
        "_user": RequestShape(["name_only": .flag, "limit": .number], .json(account)),
        "_user/*": RequestShape(["name_only": .flag], .json(account)), "_user/*/_session": RequestShape(),
        "_user/*/_documents": RequestShape(["limit": .number, "startkey": .known(.id), "collection": .text]),
        "_user/*/_session/*": RequestShape(),
        "_role": RequestShape([:], .json(account)), "_role/*": RequestShape([:], .json(account)), "_fleet": RequestShape(["since": .text]),
        "_explain/*": RequestShape(["collection": .known(.collection)]), "_replication": RequestShape(json: replication),
        "_replication/*": RequestShape(json: replication), "_replicationStatus": RequestShape(["activeOnly": .flag]),
        "_replicationStatus/*": RequestShape(["action": .choice(["start", "stop", "reset"])]),
        "_parked": RequestShape(
            ["limit": .number, "skip": .number, "replication": .known(.replication)],
            .json(
                .object([
                    "action": .text(.choice(["retry", "forget"])), "replication": .text(.known(.replication)), "id": .text(.known(.id)),
                ]))),
    ]

    private static let account = JSONShape.object([
        "name": .text(.known(.user)), "password": .text(.choice(["U*U", "", "x"])), "admin_channels": .array(.text(.known(.channel))),
        "all_channels": .array(.text(.known(.channel))), "email": .text(.choice(["a@example.com", "x"])), "disabled": .plain(.flag),
        "admin_roles": .array(.text(.known(.role))), "roles": .array(.text(.known(.role))),
        "passwordhash_bcrypt": .text(
            .choice(["$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "$2a$31$x", "$2a$04$", "JDJh"])),
        "collection_access": .map(
            .choice(["sales", "_default"]),
            .map(
                .choice(["orders", "_default", "none"]),
                .object(["admin_channels": .array(.text(.known(.channel))), "all_channels": .anything]))),
    ])

    private static let replication = JSONShape.object([
        "replication_id": .text(.known(.replication)), "remote": .text(.known(.remote)),
        "direction": .text(.choice(["push", "pull", "pushAndPull"])), "continuous": .plain(.flag), "remote_username": .text(.text),
        "remote_password": .text(.text), "username": .text(.text), "password": .text(.text), "purge_on_removal": .plain(.flag),
        "enable_delta_sync": .plain(.flag), "prefer_versions": .plain(.flag), "max_backoff_time": .plain(.number),
        "conflict_resolution_type": .text(.choice(["default", "localWins", "remoteWins", "custom"])),
        "custom_conflict_resolver": .text(.choice(["function (c) { return c.LocalDocument }", "function ("])),
        "collections_enabled": .plain(.flag), "collections_local": .array(.text(.known(.collection))),
        "collections_remote": .array(.text(.known(.collection))), "filter": .text(.choice(["sync_gateway/bychannel", "x"])),
        "query_params": .object(["channels": .array(.text(.known(.channel)))]), "initial_state": .text(.choice(["stopped", "running"])),
        "adhoc": .plain(.flag), "run_as": .text(.known(.user)), "state": .text(.text),
    ])
}
