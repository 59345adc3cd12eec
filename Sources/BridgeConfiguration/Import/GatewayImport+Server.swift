import Documents

extension GatewayImport {
    /// Reads the settings of the whole server: at the top level in 1.x and 2.x, in the startup configuration's `api` in 3.x.
    mutating func readServer(_ section: GatewaySection) throws {
        let api = section["api"].map { GatewaySection($0, path: section.path("api")) }
        readListening(section, api)
        sharedAuthenticators = translatedAuthenticators(section)
        if let json = section["cors"] ?? api?["cors"] {
            sharedOrigins = readOrigins(json, path: section["cors"] == nil ? "api.cors" : "CORS")
        }
        let databases = section["databases"]
        for member in databases?.members ?? [] where member.value != .null {
            try readDatabase(member.key, GatewaySection(member.value, path: "databases.\(member.key)"))
        }
        let read: Set<String> = [
            "interface", "admininterface", "sslcert", "sslkey", "api", "cors", "facebook", "google", "persona", "databases", "replications",
            "replicator_compression", "replicator", section["sslcert"] == nil ? "" : "tls_minimum_version",
        ]
        for member in section.members where !read.contains(member.key.lowercased()) { dropServerSetting(member.key, section) }
    }

    private mutating func readListening(_ section: GatewaySection, _ api: GatewaySection?) {
        let https = api?["https"].map { GatewaySection($0, path: "api.https") }
        let open = (section["interface"] ?? api?["public_interface"])?.string
        let admin = (section["admininterface"] ?? api?["admin_interface"])?.string
        listen = []
        listenTo(open ?? ":4984", as: "public", path: open == nil ? "" : "interface")
        if let admin { listenTo(admin, as: "admin", path: "adminInterface") }
        origin?.read(interface: open, hasTLS: section["sslcert"] != nil || https?["tls_cert_path"] != nil)
        let certificate = (section["sslcert"] ?? https?["tls_cert_path"])?.string
        let key = (section["sslkey"] ?? https?["tls_key_path"])?.string
        switch (certificate, key) {
        case (let certificate?, let key?):
            let version = readMinimumVersion(section, https)
            // Sync Gateway uses one certificate for both ports.
            for port in ["tls", "adminTLS"] {
                let files = [YAMLEntry("certificate", .text(certificate)), YAMLEntry("key", .text(key))]
                listen.append(YAMLEntry(port, .mapping(files + [version].compactMap { $0 })))
            }
            notes.append("listen.tls: relative paths are relative to this file here, and were to Sync Gateway's working folder")
        case (nil, nil): break
        default: drop("SSLCert", "a certificate and its key belong together, and one is missing")
        }
        if let https {
            let read: Set<String> = ["tls_cert_path", "tls_key_path", certificate == nil ? "" : "tls_minimum_version"]
            dropOthers(https, read: read, useless: Self.tlsSettings)
        }
        let replicator = section["replicator"].map { GatewaySection($0, path: section.path("replicator")) }
        if let level = section["replicator_compression"] ?? replicator?["blip_compression"] {
            readCompression(level, path: replicator?.path("blip_compression") ?? section.path("replicator_compression"))
        }
        for member in replicator?.members ?? [] where member.key.lowercased() != "blip_compression" {
            dropServerSetting(member.key, replicator ?? section)
        }
        let read: Set<String> = ["public_interface", "admin_interface", "https", "cors"]
        for member in api?.members ?? [] where !read.contains(member.key.lowercased()) {
            dropServerSetting(member.key, api ?? section)
        }
    }

    /// The oldest TLS version of the old server: 1.0 for 1.x and 2.x unless the configuration sets another one.
    private mutating func readMinimumVersion(_ section: GatewaySection, _ https: GatewaySection?) -> YAMLEntry? {
        if let text = (section["tls_minimum_version"] ?? https?["tls_minimum_version"])?.string {
            let version = text.lowercased().hasPrefix("tlsv") ? String(text.dropFirst("tlsv".count)) : text
            return TLSFiles.MinimumVersion(rawValue: version == "1" ? "1.0" : version).map {
                YAMLEntry("minimumVersion", .text($0.rawValue))
            }
        }
        guard section["sslcert"] != nil else { return nil }
        return YAMLEntry(
            "minimumVersion", .text(TLSFiles.MinimumVersion.tls10.rawValue),
            comments: ["Sync Gateway's default. Couchbase Lite 1.x for iOS and macOS speaks no other in its changes feed."])
    }

    private mutating func readCompression(_ json: JSONValue, path: String) {
        guard let level = json.int, (0...9).contains(level) else { return drop(path, "a level is a number from 0 to 9") }
        listen.append(YAMLEntry("blipCompression", .plain("\(level)")))
    }

    private mutating func listenTo(_ text: String, as key: String, path: String) {
        guard var address = ListenAddress(text) else {
            drop(path, "`\(text)` is not an address such as `127.0.0.1:4984`")
            return
        }
        var comments = path.isEmpty ? ["Sync Gateway's default: every address of this machine."] : []
        if origin?.isLocal == true {
            comments.append("The old server has port \(address.port) of this machine.")
            address.port = GatewayOrigin.port(beside: address.port)
        }
        listen.append(YAMLEntry(key, .text(address.description), comments: comments))
    }

    private mutating func dropServerSetting(_ key: String, _ section: GatewaySection) {
        let path = section.path(key)
        switch key.lowercased() {
        case "configserver": drop(path, "databases are configured here, or made on the admin port")
        case "admin_interface_authentication", "enable_advanced_auth_dp":
            drop(path, "the logins of a Couchbase Server are not known here; name those of the admin port in `adminAuth`")
        case "auth": drop(path, "hashes are made by scrypt here; bcrypt's are understood", matters: false)
        case "hide_product_version": drop(path, "see `serverHeader`: 1.x clients derive the server's features from it")
        default:
            drop(
                path, Self.serverSettings.contains(key.lowercased()) ? "has no effect here" : Self.unknown,
                matters: !Self.serverSettings.contains(key.lowercased()))
        }
    }

    private static let tlsSettings = ["tls_minimum_version": "has no effect without a certificate"]

    /// Server settings without an equivalent in the bridge: the connection to the bucket, logs and metrics.
    private static let serverSettings: Set<String> = [
        "adminui", "bcrypt_cost", "bootstrap", "bucket_credentials", "cluster_config", "compress_responses", "compressresponses",
        "config_upgrade_group_id", "couchbase_keepalive_interval", "couchbasekeepaliveinterval", "database_credentials", "deploymentid",
        "disable_persistent_config", "heap_profile_collection_threshold", "heap_profile_disable_collection", "idle_timeout", "idletimeout",
        "log", "logfilepath", "logging", "max_connections", "max_file_descriptors", "maxcouchbaseconnections", "maxcouchbaseoverflow",
        "maxfiledescriptors", "maxheartbeat", "maxincomingconnections", "metrics_interface", "metrics_interface_authentication",
        "metricsinterface", "metricsinterfaceauthentication", "pretty", "profile_interface", "profileinterface", "read_header_timeout",
        "readheadertimeout", "runmode", "server_read_timeout", "server_tls_skip_verify",
        "server_write_timeout", "serverreadtimeout", "serverwritetimeout", "skip_runmode_validation", "slowquerywarningthreshold",
        "slowservercallwarningthreshold", "statsreportinterval", "tls_minimum_version", "unsupported", "use_tls_server",
        "verbose",
    ]
}

extension GatewayImport {
    /// Reads `CORS`: at the top level in 1.x and 2.x; in the startup configuration's `api` and in databases in 3.x.
    mutating func readOrigins(_ json: JSONValue, path: String) -> [YAMLEntry] {
        let section = GatewaySection(json, path: path)
        var entries: [YAMLEntry] = []
        for member in section.members {
            let texts = member.value.textList ?? []
            switch member.key.lowercased() {
            case "origin": entries.append(YAMLEntry("origins", .texts(texts)))
            case "loginorigin", "login_origin": entries.append(YAMLEntry("loginOrigins", .texts(texts)))
            case "headers": entries.append(YAMLEntry("headers", .texts(texts)))
            case "maxage", "max_age":
                if let seconds = member.value.int, seconds >= 0 { entries.append(YAMLEntry("maxAge", .plain("\(seconds)s"))) }
            default: drop(section.path(member.key), Self.unknown)
            }
        }
        return checked(entries, path) { _ = try CrossOriginPolicy($0) }
    }
}
