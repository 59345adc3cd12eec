import Documents
import Gateway

extension GatewayImport {
    /// Reads a database's configuration of 1.x to 3.x.
    mutating func readDatabase(_ name: String, _ section: GatewaySection) throws {
        guard ServerConfiguration.ServedDatabase.isAllowed(name), !databases.contains(name) else {
            drop(section.path.isEmpty ? name : section.path, "`\(name)` cannot be a database's name here, or there are two of this name")
            return
        }
        databases.append(name)
        let collections = readCollections(section)
        var members = [YAMLEntry("store", .text("./\(name).dualgauge"))]
        if let guest = readGuest(section) { members.append(guest) }
        members += readLogins(section)
        let origins = section["cors"].map { readOrigins($0, path: section.path("cors")) } ?? sharedOrigins
        if !origins.isEmpty { members.append(YAMLEntry("cors", .mapping(origins))) }
        if let allowed = section["allow_conflicts"]?.bool {
            members.append(YAMLEntry("conflicts", .plain(allowed ? "keep" : "refuse")))
        }
        members += readDeltaSync(section)
        if let limit = readRevisionLimit(section) { members.append(limit) }
        if !collections.isEmpty {
            members.append(YAMLEntry("collections", .mapping(collections.map { YAMLEntry($0.name.description, $0.value) })))
        }
        let known = Set(collections.map(\.name)).union([.default])
        members += readAuthenticators(section)
        members += try readAccounts(section, collections: known)
        let replications = readReplications(section, collections: known)
        if !replications.isEmpty { members.append(YAMLEntry("replications", .mapping(replications))) }
        if let origin { addOrigin(origin, database: name, collections: known, into: &members) }
        entries.append(YAMLEntry(name, .mapping(members)))
        for member in section.members { dropDatabaseSetting(member, section) }
    }

    private mutating func readGuest(_ section: GatewaySection) -> YAMLEntry? {
        let users = section["users"].map { GatewaySection($0, path: section.path("users")) }
        guard let json = section["guest"] ?? users?["guest"] else { return nil }
        let guest = GatewaySection(json, path: section.path("guest"))
        let channels = guest["admin_channels"]?.textList ?? []
        if guest["collection_access"] != nil {
            drop(guest.path("collection_access"), "the guest has the same channels in every collection; change it on the admin port")
        }
        dropOthers(
            guest, read: ["name", "disabled", "admin_channels", "all_channels", "collection_access", "email"],
            useless: ["roles": "they are computed from `admin_roles`", "password": "the guest has none"])
        return YAMLEntry(
            "guest",
            .mapping([
                YAMLEntry("enabled", .plain(guest["disabled"]?.bool == true ? "false" : "true")),
                YAMLEntry("channels", .texts(channels)),
            ]))
    }

    private mutating func readDeltaSync(_ section: GatewaySection) -> [YAMLEntry] {
        guard let json = section["delta_sync"] else { return [] }
        let deltas = GatewaySection(json, path: section.path("delta_sync"))
        dropOthers(
            deltas, read: ["enabled"],
            useless: [
                "rev_max_age_seconds":
                    "bodies of earlier revisions, from which deltas are made, are kept by their number here, not by their age: see `limits.recentBodies`"
            ])
        return deltas["enabled"]?.bool.map { [YAMLEntry("deltaSync", .plain("\($0)"))] } ?? []
    }

    private mutating func readLogins(_ section: GatewaySection) -> [YAMLEntry] {
        var sessions: [YAMLEntry] = []
        if let name = section["session_cookie_name"]?.string, !name.isEmpty { sessions.append(YAMLEntry("cookieName", .text(name))) }
        if let flag = section["session_cookie_secure"]?.bool { sessions.append(YAMLEntry("secure", .plain("\(flag)"))) }
        sessions = checked(sessions, section.path("session_cookie_name")) { _ = try AccessConfiguration(sessions: $0) }
        var entries = sessions.isEmpty ? [] : [YAMLEntry("sessions", .mapping(sessions))]
        if section["allow_empty_password"]?.bool == true {
            entries.append(YAMLEntry("passwords", .mapping([YAMLEntry("allowEmpty", .plain("true"))])))
        }
        if let flag = section["send_www_authenticate_header"]?.bool { entries.append(YAMLEntry("wwwAuthenticate", .plain("\(flag)"))) }
        return entries
    }

    private mutating func readRevisionLimit(_ section: GatewaySection) -> YAMLEntry? {
        guard let json = section["revs_limit"] else { return nil }
        guard let limit = json.int, limit > 0 else {
            drop(section.path("revs_limit"), "this is not a number of revisions")
            return nil
        }
        let kept = min(max(limit, 20), 10_000)
        if kept != limit { notes.append("\(section.path("revs_limit")): \(limit) was changed to \(kept), the nearest possible value") }
        return YAMLEntry("limits", .mapping([YAMLEntry("revisionDepth", .plain("\(kept)"))]))
    }

    /// Drops a setting that the import does not read, with the reason.
    private mutating func dropDatabaseSetting(_ member: JSONMember, _ section: GatewaySection) {
        let key = member.key.lowercased()
        let path = section.path(member.key)
        guard !Self.readSettings.contains(key) else { return }
        if let reason = Self.reasons[key] {
            drop(path, reason, matters: !Self.isUnset(member.value))
        } else if Self.bucketSettings.contains(key) {
            drop(path, "documents are in the database's own store, not in a bucket", matters: false)
        } else if Self.unusedKeys.contains(key) {
            drop(path, "has no effect here", matters: false)
        } else {
            drop(path, Self.unknown)
        }
    }

    /// Whether a setting has its default value. A running server lists all settings, including those that were never set.
    private static func isUnset(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool(false): true
        case .string(let text): text.isEmpty
        case .number(let text): Double(text) == 0
        case .array(let values): values.isEmpty
        case .object(let members): members.isEmpty
        case .bool(true): false
        }
    }

    private static let readSettings: Set<String> = [
        "allow_conflicts", "allow_empty_password", "cors", "delta_sync", "guest", "import_filter", "name", "oidc", "replications",
        "revs_limit", "roles", "scopes",
        "send_www_authenticate_header", "session_cookie_name", "session_cookie_secure", "sync", "users",
    ]

    private static let bucketSettings: Set<String> = [
        "autoimport", "bucket", "bucket_op_timeout_ms", "cacertpath", "cache", "certpath", "channel_index", "enable_shared_bucket_access",
        "feed_params", "feed_type", "import_docs", "index", "keypath", "kv_tls_port", "num_index_replicas", "password", "pool", "server",
        "use_views",
        "username", "view_query_timeout_secs",
    ]

    /// Further settings of Sync Gateway 2.8 and 3.2 without an equivalent in the bridge: buckets, indexes, imports and caches.
    package static let unusedKeys: Set<String> = [
        "audit", "bucket", "cacertpath", "cache", "certpath", "client_partition_window_secs",
        "compact_interval_days", "created_at", "deprecated", "disable_password_auth", "enable_shared_bucket_access",
        "event_handlers",
        "facebook", "feed_type", "graphql", "import_backup_old_rev", "import_docs", "import_filter", "import_partitions", "index",
        "javascript_timeout_secs", "keypath", "kv_tls_port", "local_doc_expiry_secs", "local_jwt", "log", "logging",
        "max_concurrent_query_ops", "num_index_replicas", "old_rev_expiry_seconds", "password", "persona", "pool",
        "query_pagination_limit", "replications", "rev_cache_size", "serve_insecure_attachment_types", "server", "session_cookie_http_only",
        "sgreplicate_enabled", "sgreplicate_websocket_heartbeat_secs", "shadow", "slow_query_warning_threshold", "suspendable",
        "unsupported", "updated_at", "use_views", "user_functions", "user_xattr_key", "username", "view_query_timeout_secs",
    ]

    private static let reasons: [String: String] = [
        "disable_password_auth": "a login by password is always possible; give the users no passwords",
        "event_handlers": "there are no webhooks; follow the changes feed on the admin port instead",
        "functions": "there are no named functions",
        "graphql": "there is no GraphQL",
        "javascript_timeout_secs": "the time of JavaScript is bounded by a rule of its own here",
        "local_jwt": "tokens are verified with the keys that the issuer publishes; see `oidc`",
        "offline": "the database starts online; POST /DATABASE/_offline on the admin port",
        "session_cookie_http_only": "this cannot be set here: scripts can never read the cookie",
        "user_xattr_key": "there are no extended attributes of a bucket that sync functions could look at",
    ]
}
