import Access
import Authentication
import Foundation
import Gateway
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The configuration of a running Sync Gateway")
struct GatewayServerTests {
    /// Replies from a table; other paths get 404, in Sync Gateway's form.
    private func transport(_ answers: [String: String], at base: String = "http://old.example.com:4985") -> GatewayTransport {
        GatewayTransport { url, _ in
            guard url.hasPrefix(base), let answer = answers[String(url.dropFirst(base.count))] else {
                return .init(status: 404, body: Array(#"{"error":"not_found","reason":"unknown URL"}"#.utf8))
            }
            if let status = Int(answer) { return .init(status: status, body: Array("{}".utf8)) }
            return .init(status: 200, body: Array(answer.utf8))
        }
    }

    private func read(
        _ answers: [String: String], url: String = "http://old.example.com:4985", environment: [String: String] = [:]
    ) async throws -> (result: GatewayImport, configuration: ServerConfiguration) {
        let result = try await GatewayImport.read(server: url, fileName: "dualgauge.yaml", transport: transport(answers))
        do {
            let configuration = try parse(result.yaml, environment: environment)
            try await ConfigurationScripts.validate(configuration)
            return (result, configuration)
        } catch {
            Issue.record("\(error) in:\n\(result.yaml)")
            throw error
        }
    }

    private let modern = [
        "/_config":
            #"{"Interface":":4984","AdminInterface":"127.0.0.1:4985","databases":{"db":{"name":"db","server":"walrus:"}},"Facebook":{"Register":true},"replications":[{"source":"http://far.example.com/db","target":"db"}]}"#,
        "/_all_dbs": #"["db"]"#,
        "/db/_config?include_javascript=true":
            #"{"name":"db","bucket":"db","server":"walrus:","sync":"function (doc) { channel(doc.to); }","users":{"GUEST":{"disabled":true}},"revs_limit":50,"replications":{"up":{"direction":"pull","remote":"https://r.example.com/db","remote_username":"u","remote_password":"****"}}}"#,
        "/db/_user/": #"["bob","anna+b@example.com"]"#,
        "/db/_user/bob": #"{"name":"bob","admin_channels":["a"],"all_channels":["!","a"]}"#,
        "/db/_user/anna%2Bb%40example.com": #"{"name":"anna+b@example.com"}"#,
        "/db/_user/GUEST": #"{"name":"GUEST","admin_channels":["*"],"all_channels":["!","*"],"disabled":true}"#,
        "/db/_role/": #"["staff"]"#,
        "/db/_role/staff": #"{"name":"staff","admin_channels":["s"],"all_channels":["!","s"]}"#,
    ]

    @Test("2.x: databases, users and roles are imported, with the keys for a cutover")
    func legacyServer() async throws {
        var answers = modern
        answers["/db/_user/"] = #"["bob","zoe"]"#
        answers["/db/_user/zoe"] = #"{"name":"zoe","admin_roles":["staff"],"roles":["staff"],"email":"z@example.com","disabled":true}"#
        let (result, configuration) = try await read(answers, environment: ["DATABASES_DB_REPLICATIONS_UP_PASSWORD": "secret"])
        let db = try #require(configuration.databases.first)
        #expect(configuration.databases.count == 1 && db.configuration.name == "db")
        #expect(db.configuration.guest == GuestConfiguration(isEnabled: false, channels: ["*"]))
        #expect(db.configuration.limits.revisionDepth == 50)
        #expect(db.configuration.collections.first?.syncFunction == "function (doc) { channel(doc.to); }")
        #expect(db.accounts.map(\.grantee) == [.role("staff"), .user("bob"), .user("zoe")])
        #expect(db.accounts[1].channels == ["a"] && db.accounts[1].isOfUpstream && db.accounts[1].password == nil)
        #expect(db.accounts[2].roles == ["staff"] && db.accounts[2].isDisabled && db.accounts[2].email == "z@example.com")
        let legacy = try #require(db.replications["legacy"])
        #expect("\(legacy.target)" == "http://old.example.com:4985/db" && legacy.continuous && legacy.credentials == nil)
        #expect(db.cutover?.legacy == "legacy")
        #expect(db.authenticators.upstream?.database.description == "http://old.example.com:4984/db")
        #expect(db.authenticators.facebook != nil)
        #expect(db.replications["up"]?.credentials == .basic(user: "u", password: Secret("secret")))
        #expect(db.replications["replication-1"].map { "\($0.target)" } == "http://far.example.com/db")
        #expect(result.notes.contains { $0.contains("does not show hashes of passwords") })
        #expect(!result.yaml.contains("****"))
    }

    @Test("A name is percent-encoded in requests; a user removed meanwhile is left out")
    func names() async throws {
        var answers = modern
        answers["/db/_user/bob"] = nil
        let (_, configuration) = try await read(answers, environment: ["DATABASES_DB_REPLICATIONS_UP_PASSWORD": "x"])
        #expect(configuration.databases.first?.accounts.map(\.grantee) == [.role("staff"), .user("anna+b@example.com")])
    }

    @Test("3.x: a startup configuration and collections with their own functions are imported, with a login at the admin port")
    func collections() async throws {
        let answers = [
            "/_config":
                #"{"bootstrap":{"server":"couchbases://x","password":"xxxxx"},"api":{"public_interface":":4994","https":{"tls_cert_path":"c.pem","tls_key_path":"k.pem"}}}"#,
            "/_all_dbs": #"["sc"]"#,
            "/sc/_config?include_javascript=true":
                #"{"name":"sc","bucket":"b","scopes":{"s1":{"collections":{"c1":{"sync":"function (doc) { channel('x'); }"},"c2":{}}}}}"#,
            "/sc/_user/": #"["bob"]"#,
            "/sc/_user/bob":
                #"{"name":"bob","admin_channels":["a"],"collection_access":{"s1":{"c1":{"admin_channels":["x"],"all_channels":["!","x"]},"c2":{"all_channels":["!"]}}},"email":"","disabled":false}"#,
            "/sc/_role/": "[]",
        ]
        let (result, configuration) = try await read(
            answers, url: "http://admin:p%40ss@old.example.com:4985/", environment: ["OLD_SERVER_PASSWORD": "secret"])
        let sc = try #require(configuration.databases.first)
        #expect(sc.configuration.collections.map(\.name.description).sorted() == ["s1.c1", "s1.c2"])
        #expect(sc.accounts.first?.collections == [CollectionName(scope: "s1", name: "c1"): ["x"]])
        let legacy = try #require(sc.replications["legacy"])
        #expect("\(legacy.target)" == "wss://old.example.com:4994/sc" && legacy.collections.count == 2)
        #expect(legacy.credentials == .basic(user: "admin", password: Secret("secret")))
        #expect(sc.cutover == nil && result.notes.contains { $0.contains("servers without collections") })
        #expect(sc.authenticators.upstream?.database.description == "https://old.example.com:4994/sc")
        #expect(!result.yaml.contains("p%40ss") && !result.yaml.contains("p@ss"))
    }

    @Test("More accounts than the limit are reported, and none is read")
    func manyAccounts() async throws {
        var answers = modern
        let names = (0...GatewayServer.maximumAccounts).map { "\"u\($0)\"" }.joined(separator: ",")
        answers["/db/_user/"] = "[\(names)]"
        let (result, configuration) = try await read(answers, environment: ["DATABASES_DB_REPLICATIONS_UP_PASSWORD": "x"])
        #expect(configuration.databases.first?.accounts.map(\.grantee) == [.role("staff")])
        #expect(result.dropped.contains { $0.path == "databases.db.users" && $0.matters })
    }

    @Test(
        "A server that is no admin port, or asks for a login, is reported with the remedy",
        arguments: [
            ("/_config", nil, "is this the admin port"), ("/_config", "401", "requires a login"), ("/_all_dbs", "{}", "list of names"),
            ("/_config", "<html>", "does not answer with JSON"), ("/db/_user/", "409", "answers 409"),
        ] as [(String, String?, String)])
    func refused(path: String, answer: String?, words: String) async throws {
        var answers = modern
        answers[path] = answer
        let transport = transport(answers)
        let error = await #expect(throws: GatewayImportError.self) {
            try await GatewayImport.read(server: "http://old.example.com:4985", fileName: "f", transport: transport)
        }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test(
        "An invalid address is refused without its password",
        arguments: ["old.example.com", "ftp://u:secret@h", "http://u:secret@h/db"])
    func address(text: String) async throws {
        let transport = transport([:])
        let error = await #expect(throws: GatewayImportError.self) {
            try await GatewayImport.read(server: text, fileName: "f", transport: transport)
        }
        #expect(error?.message.contains("secret") == false)
    }
}
