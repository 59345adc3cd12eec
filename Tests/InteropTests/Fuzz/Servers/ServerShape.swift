import ModernProtocol

/// The replies of another server, by the path of the bridge's request: an old server's, or a token verifier's.
struct ServerShape: Sendable {
    var status = 200
    var headers: KeyValuePairs<String, Term> = [:]
    var body: JSONShape

    /// The shape for a request's path; the last segments decide, because a hostile server serves every database.
    static func of(_ method: String, _ path: String) -> ServerShape {
        let segments = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        switch segments.last ?? "" {
        case "_changes": return ServerShape(body: .object(["results": .array(row), "last_seq": .plain(.known(.sequence))]))
        case "_revs_diff":
            return ServerShape(
                body: .map(
                    .known(.id),
                    .object(["missing": .array(.text(.known(.revision))), "possible_ancestors": .array(.text(.known(.revision)))])))
        case "_bulk_docs":
            return ServerShape(
                status: 201,
                body: .array(
                    .object([
                        "id": .text(.known(.id)), "rev": .text(.known(.revision)), "status": .plain(.choice(["201", "409", "403", "503"])),
                        "error": .text(.choice(["conflict", "forbidden", "x"])), "reason": .text(.text),
                    ])))
        case "_bulk_get":
            return ServerShape(
                body: .object([
                    "results": .array(.object(["id": .text(.known(.id)), "docs": .array(.object(["ok": .document, "error": .anything]))]))
                ]))
        case "_session", "_facebook", "_persona":
            return ServerShape(
                headers: [
                    "Set-Cookie": .choice(["SyncGatewaySession=abc; Path=/", "AuthSession=x; Max-Age=9223372036854775807", "=", "a"])
                ],
                body: .object([
                    "ok": .plain(.flag), "session_id": .text(.known(.session)), "cookie_name": .text(.choice(["SyncGatewaySession", ""])),
                    "expires": .text(.text),
                    "userCtx": .object(["name": .text(.known(.user)), "channels": .map(.known(.channel), .plain(.number))]),
                ]))
        case "openid-configuration":
            return ServerShape(
                body: .object([
                    "issuer": .text(.known(.remote)), "jwks_uri": .text(.known(.remote)), "authorization_endpoint": .text(.known(.remote)),
                    "token_endpoint": .text(.known(.remote)), "id_token_signing_alg_values_supported": .array(.text(.text)),
                ]))
        case "keys":
            return ServerShape(
                body: .object([
                    "keys": .array(
                        .object([
                            "kty": .text(.choice(["RSA", "EC", "oct"])), "kid": .text(.text), "crv": .text(.choice(["P-256", "x"])),
                            "alg": .text(.choice(["RS256", "ES256"])), "n": .text(.choice(["AQAB", "", "****"])),
                            "e": .text(.choice(["AQAB", ""])),
                            "x": .text(.choice(["AA", "AQAB"])), "y": .text(.choice(["AA", "AQAB"])),
                        ]))
                ]))
        case "token":
            return ServerShape(
                body: .object([
                    "id_token": .text(.choice(["a.b.c", "eyJhbGciOiJub25lIn0.e30."])), "access_token": .text(.text),
                    "refresh_token": .text(.text), "expires_in": .plain(.number), "token_type": .text(.text),
                ]))
        default: break
        }
        if segments.dropLast().last == "_local" {
            let checkpoint = JSONShape.object([
                "_id": .text(.known(.id)), "id": .text(.known(.id)), "_rev": .text(.choice(["0-1", "0-2"])), "rev": .text(.choice(["0-1"])),
                "ok": .plain(.flag), "lastSequence": .text(.known(.sequence)),
            ])
            return ServerShape(status: method == "PUT" ? 201 : 200, body: checkpoint)
        }
        switch segments.count {
        case 0: return ServerShape(body: root)
        case 1: return ServerShape(body: database)
        default: return ServerShape(body: .document)
        }
    }

    /// One row of a changes feed.
    static let row = JSONShape.object([
        "seq": .plain(.known(.sequence)), "id": .text(.known(.id)), "changes": .array(.object(["rev": .text(.known(.revision))])),
        "deleted": .plain(.flag), "removed": .array(.text(.known(.channel))), "doc": .document,
    ])

    private static let root = JSONShape.object([
        "couchdb": .text(.choice(["Welcome"])),
        "vendor": .object(["name": .text(.choice(["Couchbase Sync Gateway", "x"])), "version": .anything]),
        "version": .text(.choice(["Couchbase Sync Gateway/2.8.4(6;ac8d4d9) CE", "Couchbase Sync Gateway/1.5.1", "3.4.2", "x"])),
    ])

    private static let database = JSONShape.object([
        "db_name": .text(.text), "db_uuid": .text(.text), "update_seq": .plain(.number), "committed_update_seq": .plain(.number),
        "instance_start_time": .plain(.number), "purge_seq": .plain(.number), "state": .text(.choice(["Online", "Offline"])),
        "server_uuid": .text(.text),
    ])

    /// The reply of a 2.x+ server to a message of the bridge's replicator.
    static func reply(to profile: String?) -> MessageShape {
        switch profile.flatMap({ Profile(rawValue: $0) }) {
        case .getCollections:
            MessageShape(
                [:],
                .json(
                    .array(
                        .object([
                            "lastSequence": .text(.known(.sequence)), "rev": .text(.choice(["0-1", "0-2"])),
                            "remote": .text(.known(.sequence)),
                            "local": .plain(.number),
                        ]))))
        case .getCheckpoint:
            MessageShape(
                ["rev": .choice(["0-1", "0-2"])],
                .json(.object(["remote": .text(.known(.sequence)), "local": .plain(.number), "lastSequence": .text(.known(.sequence))])))
        case .setCheckpoint: MessageShape(["rev": .choice(["0-1", "0-2"])])
        case .proposeChanges:
            MessageShape(
                ["deltas": .flag, "blobs": .flag], .json(.array(.plain(.choice(["0", "304", "409", "403", "500", "{\"status\":409}"])))))
        default: MessageShape.answer(to: profile ?? "")
        }
    }
}
