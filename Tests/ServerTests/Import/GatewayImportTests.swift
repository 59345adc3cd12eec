import Access
import Authentication
import Foundation
import Gateway
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Configurations of Sync Gateway")
struct GatewayImportTests {
    /// A bcrypt hash with the lowest cost, for quick checks.
    private static let hash = "$2a$10$" + String(repeating: "a", count: 53)

    /// An address without a listener.
    private static let nobody = GatewayTransport { url, _ in throw GatewayUnreachable(url: url, reason: "the server cannot be reached") }

    private func read(
        _ texts: String..., transport: GatewayTransport = GatewayImportTests.nobody
    ) async throws -> (result: GatewayImport, configuration: ServerConfiguration) {
        let files = texts.enumerated().map { (name: "file\($0).json", bytes: Array($1.utf8)) }
        let result = try await GatewayImport.read(files, fileName: "shop.yaml", transport: transport) { _ in PasswordHash(Self.hash) }
        do {
            let configuration = try parse(result.yaml)
            try await ConfigurationScripts.validate(configuration)
            return (result, configuration)
        } catch {
            Issue.record("\(error) in:\n\(result.yaml)")
            throw error
        }
    }

    private func paths(_ result: GatewayImport, matter: Bool = true) -> [String] {
        result.dropped.filter { $0.matters == matter }.map(\.path).sorted()
    }

    @Test("The configuration of a 1.x server is imported: users, roles, guest, sync function, interfaces")
    func legacy() async throws {
        let (result, configuration) = try await read(
            """
            // The shop.
            {
              "Interface": "127.0.0.1:4994", "adminInterface": "127.0.0.1:4995", "log": ["*"], "MaxFileDescriptors": 250000,
              "replicator_compression": 9,
              "databases": { "shop": {
                "server": "http://db:8091", "bucket": "shop", "username": "u", "password": "secret-of-the-bucket", "revs_limit": 50,
                "users": {
                  "GUEST": { "disabled": false, "admin_channels": ["public"] },
                  "alice": { "password": "secret", "admin_channels": ["a", "b"], "admin_roles": ["staff"], "email": "a@example.com" },
                  "bob": { "disabled": true, "password": "other" }, "carol": null
                },
                "roles": { "staff": { "admin_channels": ["s"] } },
                "sync": `
                  function (doc, oldDoc) {
            \t\tif (doc.type === "order") { channel("${x}", 'o-' + doc.owner); }
                    /* "all" */ else requireRole("staff");

                  }
                `
              } }
            }
            """)
        #expect(configuration.listen.publicAddress.description == "127.0.0.1:4994")
        #expect(configuration.listen.adminAddress.description == "127.0.0.1:4995")
        #expect(configuration.listen.blipCompression == 9)
        let shop = try #require(configuration.databases.first)
        #expect("\(shop.store)".hasSuffix("/shop.dualgauge"))
        #expect(shop.configuration.guest == GuestConfiguration(isEnabled: true, channels: ["public"]))
        #expect(shop.configuration.limits.revisionDepth == 50)
        let function = try #require(shop.configuration.collections.first { $0.name == .default }?.syncFunction)
        #expect(function.hasPrefix("function (doc, oldDoc) {\n\t\tif (doc.type === \"order\") { channel(\"${x}\", 'o-'"))
        #expect(function.hasSuffix("requireRole(\"staff\");\n\n      }"))
        #expect(shop.accounts.map(\.grantee) == [.role("staff"), .user("alice"), .user("bob")])
        let alice = shop.accounts[1]
        #expect(alice.channels == ["a", "b"] && alice.roles == ["staff"] && alice.email == "a@example.com" && !alice.isDisabled)
        #expect(alice.password == .hash(PasswordHash(Self.hash)))
        #expect(shop.accounts[2].isDisabled)
        #expect(paths(result).isEmpty)
        let bucket = ["bucket", "password", "server", "username"].map { "databases.shop.\($0)" }
        #expect(paths(result, matter: false) == ["MaxFileDescriptors"] + bucket + ["log"])
        #expect(!result.yaml.contains("secret"))
        #expect(result.yaml.contains("databases.shop.password: documents are in the database's own store"))
    }

    @Test("The configuration of a 2.8 server is imported: logins, conflicts, replications")
    func modern() async throws {
        let (result, configuration) = try await read(
            """
            { "facebook": { "register": true }, "google": { "register": false, "app_client_id": ["g1"] }, "persona": { "register": true },
              "CORS": { "Origin": ["https://app.example.com"], "LoginOrigin": [], "MaxAge": 60 }, "sslcert": "cert.pem", "sslkey": "key.pem",
              "databases": {
                "a": {
                  "allow_conflicts": false, "session_cookie_name": "Biscuit", "session_cookie_secure": true,
                  "send_www_authenticate_header": false, "delta_sync": { "enabled": true }, "import_filter": `function (d) { return d.m; }`,
                  "event_handlers": { "document_changed": [] }, "offline": true, "typo_setting": 1, "enable_shared_bucket_access": true,
                  "oidc": { "default_provider": "second", "providers": {
                    "first": { "issuer": "https://id.example.com", "client_id": "c", "disable_session": true },
                    "second": { "issuer": "https://other.example.com", "client_id": "d", "validation_key": "k", "scope": ["email"],
                      "disable_callback_state": true, "include_access": true, "register": true, "user_prefix": "o" },
                    "third": { "issuer": "http://insecure.example.com", "client_id": "e" } } },
                  "replications": {
                    "both": { "direction": "pushAndPull", "remote": "https://r.example.com:4984/a", "continuous": true,
                      "remote_username": "u", "remote_password": "p", "conflict_resolution_type": "localWins", "purge_on_removal": true,
                      "filter": "sync_gateway/bychannel", "query_params": ["x", "y"], "max_backoff_time": 5, "enable_delta_sync": true },
                    "own": { "direction": "pull", "remote": "http://r.example.com/a", "conflict_resolution_type": "custom",
                      "custom_conflict_resolver": `function (c) { return c.RemoteDocument; }` },
                    "bad": { "direction": "sideways", "remote": "http://r.example.com/a" },
                    "broken": { "direction": "pull", "remote": "ws://r/a", "conflict_resolution_type": "custom",
                      "custom_conflict_resolver": "function (" },
                    "later": { "direction": "pull", "remote": "ws://r.example.com/a", "initial_state": "stopped" }
                  } },
                "b": {} },
              "replications": [
                { "replication_id": "out", "source": "http://localhost:4985/b", "target": "http://far.example.com:4984/b", "continuous": true },
                { "source": "http://far.example.com/b", "target": "b", "filter": "sync_gateway/bychannel", "query_params": { "channels": ["c"] } },
                { "source": "http://far.example.com/b", "target": "http://elsewhere.example.com/b" } ] }
            """)
        #expect(configuration.listen.publicAddress.description == "0.0.0.0:4984")
        #expect(configuration.listen.tls?.certificate.hasSuffix("/cert.pem") == true)
        #expect(configuration.listen.tls?.minimumVersion == .tls10)
        let a = try #require(configuration.databases.first { $0.configuration.name == "a" })
        #expect(a.configuration.conflicts == .refuse)
        #expect(a.access.cookieName == "Biscuit" && a.access.isCookieSecure && !a.access.sendsChallenge)
        #expect(a.authenticators.facebook?.apps == .any && a.authenticators.facebook?.registers == true)
        #expect(a.authenticators.google?.registers == false)
        #expect(a.authenticators.oidc.map(\.name) == ["second", "first"])
        #expect(a.authenticators.oidc.first?.scopes == ["openid", "email"])
        #expect(a.replications.keys.sorted() == ["both", "own"])
        #expect(a.access.cors.origins == ["https://app.example.com"] && a.access.cors.maximumAge == 60)
        let both = try #require(a.replications["both"])
        #expect("\(both.target)" == "wss://r.example.com:4984/a")
        #expect(both.direction == .pushAndPull && both.continuous && both.channels == ["x", "y"] && both.purgesOnRemoval)
        #expect(a.configuration.deltaSync && both.usesDeltas == true)
        #expect(both.resolver == .localWins && both.maxAttemptWait == 300)
        #expect(both.credentials == .basic(user: "u", password: Secret("p")))
        let b = try #require(configuration.databases.first { $0.configuration.name == "b" })
        #expect(b.replications.keys.sorted() == ["out", "replication-2"])
        #expect(b.replications["out"]?.direction == .push && b.replications["replication-2"]?.channels == ["c"])
        #expect(
            paths(result)
                == [
                    "databases.a.event_handlers", "databases.a.import_filter",
                    "databases.a.oidc.providers.first.disable_session", "databases.a.oidc.providers.third", "databases.a.offline",
                    "databases.a.replications.bad", "databases.a.replications.broken.custom_conflict_resolver",
                    "databases.a.replications.later",
                    "databases.a.typo_setting",
                    "persona", "replications[2]",
                ].sorted())
        #expect(result.yaml.contains("# function (d) { return d.m; }"))
    }

    @Test("A database of 3.x is imported with collections, and its startup configuration")
    func collections() async throws {
        let (result, configuration) = try await read(
            #"{ "bootstrap": { "server": "couchbases://x", "password": "p" }, "api": { "public_interface": ":5984", "https": {}, "max_connections": 5 }, "replicator": { "blip_compression": 0 } }"#,
            """
            { "name": "db", "bucket": "b", "guest": { "disabled": true },
              "scopes": { "sales": { "collections": {
                "orders": { "sync": `function (doc, oldDoc, meta) { channel("o"); }`, "import_filter": "function () {}" }, "notes": {} } },
                "_default": { "collections": { "_default": { "sync": "" } } } },
              "users": { "alice": { "password": "x", "collection_access": { "sales": {
                "orders": { "admin_channels": ["o"] }, "gone": { "admin_channels": ["g"] } } } } } }
            """)
        #expect(configuration.listen.publicAddress.port == 5984 && configuration.listen.blipCompression == 0)
        let database = try #require(configuration.databases.first)
        #expect(database.configuration.collections.map(\.name.description).sorted() == ["sales.notes", "sales.orders"])
        #expect(!database.configuration.guest.isEnabled)
        #expect(database.accounts.first?.collections == [CollectionName(scope: "sales", name: "orders"): ["o"]])
        #expect(
            paths(result) == [
                "scopes.sales.collections.orders.import_filter", "users.alice.collection_access.sales.gone",
            ])
    }

    @Test(
        "A function that cannot be imported is replaced by one that refuses everything",
        arguments: ["https://example.com/sync.js", "function (", "sync.js", "42"])
    func brokenFunction(source: String) async throws {
        let (result, configuration) = try await read(#"{ "databases": { "db": { "sync": "\#(source)" } } }"#)
        #expect(paths(result) == ["databases.db.sync"])
        let function = try #require(configuration.databases.first?.configuration.collections.first?.syncFunction)
        #expect(function.contains("forbidden") && function.contains("see shop.yaml"))
    }

    @Test("A function that is a URL is fetched, and reported; one that is too large or no function is named")
    func fetchedFunction() async throws {
        let transport = GatewayTransport { url, maximum in
            #expect(maximum == GatewayTransport.maximumFunction)
            switch url {
            case "https://js.example.com/sync.js": return .init(status: 200, body: Array("function (doc) { channel(doc.to); }\n".utf8))
            case "http://js.example.com/broken.js": return .init(status: 200, body: Array("function (".utf8))
            default: return .init(status: 404, body: [])
            }
        }
        let (result, configuration) = try await read(
            """
            { "databases": { "a": { "sync": "https://js.example.com/sync.js" }, "b": { "sync": "http://js.example.com/broken.js" },
              "c": { "sync": "https://js.example.com/gone.js" } } }
            """, transport: transport)
        let functions = configuration.databases.map { $0.configuration.collections.first?.syncFunction }
        #expect(functions[0] == "function (doc) { channel(doc.to); }")
        #expect(functions[1]?.contains("forbidden") == true && functions[2]?.contains("forbidden") == true)
        #expect(paths(result) == ["databases.b.sync", "databases.c.sync"])
        #expect(
            result.dropped.first?.reason.contains("the function at http://js.example.com/broken.js: the function does not compile") == true)
        #expect(result.dropped.last?.reason.contains("cannot be fetched: the answer is 404") == true)
        #expect(result.notes.contains { $0.contains("was fetched from https://js.example.com/sync.js") })
    }

    @Test("Sync Gateway's resolvers are imported unchanged, also those that call its policies")
    func resolvers() async throws {
        let source =
            "function (conflict) { if (conflict.LocalDocument.keep) return conflict.LocalDocument; return defaultPolicy(conflict); }"
        let (result, configuration) = try await read(
            """
            { "databases": { "a": { "replications": { "r": { "direction": "pull", "remote": "ws://r.example.com/a",
              "conflict_resolution_type": "custom", "custom_conflict_resolver": "\(source);" } } } } }
            """)
        #expect(result.dropped.isEmpty)
        #expect(configuration.databases.first?.replications["r"]?.resolver == .javaScript(source))
    }

    @Test(
        "The oldest version of TLS is kept: 1.0 for Sync Gateway 1.x and 2.x that do not name one",
        arguments: [
            (#""SSLCert": "c.pem", "SSLKey": "k.pem""#, TLSFiles.MinimumVersion.tls10),
            (#""SSLCert": "c.pem", "SSLKey": "k.pem", "tls_minimum_version": "tlsv1.1""#, .tls11),
            (#""api": { "https": { "tls_cert_path": "c.pem", "tls_key_path": "k.pem" } }"#, .tls12),
            (#""api": { "https": { "tls_cert_path": "c.pem", "tls_key_path": "k.pem", "tls_minimum_version": "tlsv1" } }"#, .tls10),
            (#""api": { "https": { "tls_cert_path": "c.pem", "tls_key_path": "k.pem", "tls_minimum_version": "TLSv1.3" } }"#, .tls13),
        ])
    func oldestTLS(_ settings: String, version: TLSFiles.MinimumVersion) async throws {
        let (result, configuration) = try await read("{ \(settings), \"databases\": { \"a\": {} } }")
        #expect(configuration.listen.tls?.minimumVersion == version && configuration.listen.adminTLS?.minimumVersion == version)
        #expect(!paths(result, matter: false).contains { $0.contains("tls") } && paths(result).isEmpty)
    }

    @Test("Every setting that is not imported is named, also inside imported objects")
    func rest() async throws {
        let (result, _) = try await read(
            """
            { "api": { "https": { "tls_minimum_version": "tlsv1.3", "tls_other": 1 } }, "google": { "app_client_id": ["g"], "more": 1 },
              "databases": { "a": {
                "delta_sync": { "enabled": true, "rev_max_age_seconds": 86400, "other": 1 },
                "guest": { "disabled": true, "admin_roles": ["r"] }, "oidc": { "providers": {}, "odd": 1 },
                "scopes": { "s": { "collections": {}, "odd": 1 } },
                "users": { "u": { "password": "x", "jwt_roles": ["a"], "odd": 1 } },
                "replications": { "r": { "direction": "pull", "remote": "ws://r.example.com/a", "odd": 1, "batch_size": 5 } } } },
              "replications": [ { "source": "http://far.example.com/a", "target": "a", "async": true, "odd": 1, "filter": "app/f",
                "query_params": { "k": "v" } } ] }
            """)
        #expect(
            paths(result) == [
                "api.https.tls_other", "databases.a.delta_sync.other", "databases.a.guest.admin_roles", "databases.a.oidc.odd",
                "databases.a.replications.r.odd", "databases.a.scopes.s.odd", "databases.a.users.u.odd", "google.more",
                "replications[0].odd", "replications[0].query_params",
            ])
        #expect(
            paths(result, matter: false) == [
                "api.https.tls_minimum_version", "databases.a.delta_sync.rev_max_age_seconds", "databases.a.replications.r.batch_size",
                "databases.a.users.u.jwt_roles", "replications[0].async",
            ])
    }

    @Test("Hostile names and texts cannot change the structure of the file")
    func hostile() async throws {
        let evil = #"x\n  evil: true\n# ${HOME} $${A} \u0000\u202e\u0085\u2028 \" ' `"#
        let (_, configuration) = try await read(
            #"""
            { "databases": { "db": { "guest": { "admin_channels": ["\#(evil)"] }, "no": 1, "\#(evil)": 1,
              "sync": "function () { return \"${HOME}\" + \"$${A}\"; \u2028 }",
              "users": { "a/b": { "password": "x" }, "yes": { "password": "x", "admin_channels": ["no", "1", "~", "a: b"] }, "\#(evil)": {} } },
              "Bad Name": {} } }
            """#)
        let database = try #require(configuration.databases.first)
        #expect(configuration.databases.count == 1)
        #expect(database.configuration.guest.channels == ["x\n  evil: true\n# ${HOME} $${A} \u{0}\u{202e}\u{85}\u{2028} \" ' `"])
        #expect(database.configuration.collections.first?.syncFunction?.contains("\"${HOME}\" + \"$${A}\"") == true)
        #expect(database.accounts.map(\.grantee) == [.user("yes")])
        #expect(database.accounts.first?.channels == ["no", "1", "~", "a: b"])
    }

    @Test(
        "A file that is not a configuration is refused with its name and line",
        arguments: [
            ("", "line 1"), ("{\n\"databases\":\n{ \"a\" }}", "line 3"), ("[]", "object"), ("{ \"bootstrap\": {} }", "_config"),
            ("{ \"a\": 1, \"a\": 2 }", "duplicate"), (String(repeating: "[", count: 1000), "nested"),
            ("{ \"databases\": {} }", "no database"),
        ])
    func refused(text: String, word: String) async throws {
        let error = await #expect(throws: GatewayImportError.self) {
            try await GatewayImport.read([("sg.json", Array(text.utf8))], fileName: "dualgauge.yaml", transport: Self.nobody)
        }
        #expect(error?.message.contains("sg.json") == true && error?.message.contains(word) == true, "\(String(describing: error))")
    }
}
