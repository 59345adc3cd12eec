extension RequestShape {
    /// Administrators' requests for whole databases, by the paths of that table.
    static let ofAdministrators: [String: RequestShape] = [
        "": RequestShape(json: configuration), "_config": RequestShape(["redact": .flag], .json(configuration)),
        "_config/sync": RequestShape([:], .script), "_online": RequestShape(json: .object(["delay": .plain(.choice(["0", "1"]))])),
        "_offline": RequestShape(), "_flush": RequestShape(),
        "_resync": RequestShape(
            ["action": .choice(["start", "stop"]), "reset": .flag, "regenerate_sequences": .flag],
            .json(.object(["scopes": .map(.choice(["sales", "_default"]), .array(.text(.choice(["orders", "_default", "x"]))))]))),
        "_overview": RequestShape(),
        "_migrations": RequestShape(
            ["action": moves, "allow_new_grants": .flag], .json(.object(["action": .text(moves), "allow_new_grants": .plain(.flag)]))),
        "_cutover": RequestShape(
            json: .object([
                "action": .text(.choice(["advance", "reverse"])),
                "to": .text(.choice(["shadow", "dual", "switched", "complete", "sunset"])),
                "force": .plain(.flag), "reason": .text(.text), "dryRun": .plain(.flag), "bodies": .plain(.number),
            ])),
        "_cutover/comparison": RequestShape(
            ["kind": .choice(["missing", "body", ""]), "skip": .number, "limit": .number],
            .json(.object(["bodies": .plain(.number)]))),
        "_cutover/devices": RequestShape(
            json: .object([
                "percent": .plain(.number), "users": .array(.text(.known(.user))), "channels": .array(.text(.known(.channel))),
                "addresses": .array(.text(.choice(["10.0.0.0/8", "::1", "127.0.0.1/33", ""]))), "except": .array(.text(.known(.user))),
                "moveUser": .text(.known(.user)), "moveUserBack": .text(.known(.user)), "back": .plain(.flag), "force": .plain(.flag),
                "reason": .text(.text),
            ])),
        "_compact": RequestShape(["action": .choice(["start", "stop"]), "type": .choice(["attachment", "tombstone"]), "reset": .flag]),
        "_purge": RequestShape(json: .map(.known(.id), .array(.text(.choice(["*", "1-a"]))))),
        "_raw/*": RequestShape(["include_doc": .flag, "redact": .flag, "salt": .text]), "_revtree/*": RequestShape(),
    ]

    private static let moves = Term.choice(["start", "pause", "resume", "cancel", "revert"])

    /// A function for a collection: short ones, and wrong ones.
    static let functions = [
        "function (doc) { channel(doc.channels) }", "function (doc, old) { if (doc.n > 5) throw({forbidden: 'x'}); channel('a') }",
        "function (doc) { requireRole('staff') }", "function (doc) { access(doc.owner, doc.channels); role(doc.owner, 'role:staff') }",
        "function (doc) { expiry(doc.n); channel([null, 1, {}]) }", "function (", "", "1", "function (doc) { return undefined.x }",
        "function (doc) { channel(new Array(1e6).join('x')) }", "function (doc) { expiry(1e308); expiry(-1); expiry('9999-99-99') }",
    ]

    private static let origins = JSONShape.array(.text(.choice(["https://app.example.com", "*", "x"])))

    private static let configuration = JSONShape.object([
        "name": .text(.choice(["lab"])), "sync": .text(.choice(functions)), "allow_conflicts": .plain(.flag), "revs_limit": .plain(.number),
        "delta_sync": .object(["enabled": .plain(.flag)]), "session_cookie_name": .text(.choice(["Lab", "a;b", ""])),
        "allow_empty_password": .plain(.flag), "session_cookie_secure": .plain(.flag), "send_www_authenticate_header": .plain(.flag),
        "cors": .object([
            "origin": origins, "login_origin": origins, "headers": .array(.text(.choice(["x", "a b"]))), "max_age": .plain(.number),
        ]),
        "offline": .plain(.choice(["false"])),
        "users": .map(.known(.user), .object(["password": .text(.text), "admin_channels": .array(.text(.known(.channel)))])),
        "roles": .map(.known(.role), .object(["admin_channels": .array(.text(.known(.channel)))])),
        "guest": .object(["disabled": .plain(.flag), "admin_channels": .array(.text(.known(.channel)))]),
        "scopes": .map(
            .choice(["sales", "_default", "x"]),
            .object([
                "collections": .map(
                    .choice(["orders", "_default", "y"]), .object(["sync": .text(.choice(functions)), "import_filter": .text(.text)]))
            ])),
        "google": .object(["app_client_id": .array(.text(.text)), "register": .plain(.flag)]),
        "oidc": .object([
            "default_provider": .text(.text),
            "providers": .map(.text, .object(["issuer": .text(.known(.remote)), "client_id": .text(.text), "register": .plain(.flag)])),
        ]),
        "bucket": .text(.text), "num_index_replicas": .plain(.number), "cache": .anything, "unknown": .anything,
    ])
}
