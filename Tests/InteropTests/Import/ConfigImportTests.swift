import Documents
import Foundation
import HTTPTypes
import Testing

@Suite("The command line: config import")
struct ConfigImportTests {
    private let gateway = """
        { "interface": "127.0.0.1:0", "adminInterface": "127.0.0.1:0", "persona": { "register": true },
          "databases": { "shop": { "server": "walrus:", // in memory
            "users": { "alice": { "password": "secret", "admin_channels": ["a"], "admin_roles": ["staff"] } },
            "roles": { "staff": { "admin_channels": ["s"] } },
            "sync": `function (doc) { channel(doc.to); }` } } }
        """

    @Test("An imported configuration is served, and users log in with their passwords")
    func endToEnd() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(gateway, to: "sync_gateway.json")
        let target = "\(folder.path)/dualgauge.yaml"
        let result = try await Program.run("config", "import", source, "--output", target)
        #expect(result.code == 1 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains("not carried over: persona: "), "\(result.errors)")
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: target, encoding: .utf8).contains("$scrypt$"))
        #expect(try await Program.run("config", "check", target).code == 0)
        let again = try await Program.run("config", "import", source, "--output", target)
        #expect(again.code == 2 && again.errors.contains("exists already"), "\(again.errors)")

        let login = "Authorization: Basic \(Data("alice:secret".utf8).base64EncodedString())\r\n"
        let store = "\(folder.path)/shop.dualgauge"
        for isFirst in [true, false] {
            let program = try await Program(serving: target)
            let socket = try RawSocket(port: program.port)
            let id = isFirst ? "one" : "two"
            #expect(try await socket.ask("PUT", "/shop/\(id)", #"{"to":"s"}"#, headers: login).status == (isFirst ? 201 : 401))
            if isFirst { #expect(try await socket.ask("GET", "/shop/one", headers: login).status == 200) }
            await program.kill()
            // A user whom an administrator has removed stays removed.
            if isFirst { #expect(try await Program.run("user", "remove", "alice", "--store", store).code == 0) }
        }
        #expect(try await Program.run("role", "list", "--store", store).output == "staff\n")
    }

    @Test("A running server's configuration is read, and its users log in at the bridge with passwords that only the server has")
    func fromServer() async throws {
        let folder = try TemporaryFolder()
        let login = "Basic \(Data("bob:old secret".utf8).base64EncodedString())"
        try await FakeServer.run { call, url in
            let port = url.split(separator: ":").last ?? ""
            switch call.path {
            // The replies of Sync Gateway 2.8.4; here both of its ports are one.
            case "/_config":
                return FakeServer.json(#"{"Interface":"127.0.0.1:\#(port)","AdminInterface":"127.0.0.1:0","databases":{"db":{}}}"#)
            case "/_all_dbs": return FakeServer.json(#"["db"]"#)
            case "/db/_config": return FakeServer.json(#"{"name":"db","server":"walrus:","sync":"function (doc) { channel(doc.to); }"}"#)
            case "/db/_user/": return FakeServer.json(#"["bob"]"#)
            case "/db/_user/bob": return FakeServer.json(#"{"name":"bob","admin_channels":["a"],"all_channels":["!","a"]}"#)
            case "/db/_user/GUEST": return FakeServer.json(#"{"name":"GUEST","disabled":true,"all_channels":["!"]}"#)
            case "/db/_role/": return FakeServer.json("[]")
            case "/db/_session" where call.headers[.authorization] == login:
                return FakeServer.json(
                    #"{"authentication_handlers":["default"],"ok":true,"userCtx":{"channels":{"!":1,"a":2},"name":"bob"}}"#)
            default: return FakeServer.json(#"{"error":"not_found","reason":"missing"}"#, 404)
            }
        } _: { server, url in
            let target = "\(folder.path)/bridge.yaml"
            let result = try await Program.run("config", "import", "--from-server", url, "--output", target)
            #expect(result.code == 0 && result.errors.contains("does not show hashes of passwords"), "\(result.errors)")
            let text = try String(contentsOfFile: target, encoding: .utf8)
            for part in ["legacy:", "remote: \"\(url)/db\"", "cutover:", "upstream: true", "url: \"\(url)/db\""] {
                #expect(text.contains(part), "\(part) in:\n\(text)")
            }
            let check = try await Program.run("config", "check", target)
            #expect(check.code == 0, "\(check.errors)")
            // The old server listens at its own addresses, so the file has others.
            #expect(!text.contains("public: \"\(url.dropFirst(7))\""), "\(text)")
            let moved = text.replacing(/public: "[^"]*"/, with: "public: \"127.0.0.1:0\"")
            let program = try await Program(serving: try folder.write(moved, to: "moved.yaml"))
            let socket = try RawSocket(port: program.port)
            let header = "Authorization: \(login)\r\n"
            #expect(try await socket.ask("PUT", "/db/one", #"{"to":"a"}"#, headers: header).status == 201)
            #expect(try await socket.ask("GET", "/db/one", headers: header).status == 200)
            let wrong = "Authorization: Basic \(Data("bob:wrong".utf8).base64EncodedString())\r\n"
            #expect(try await socket.ask("GET", "/db/one", headers: wrong).status == 401)
            await program.kill()
            #expect(server.calls.contains { $0.path == "/db/_session" })
        }
    }

    @Test("An unreachable server, a server that is no Sync Gateway, no source and two sources are refused")
    func noServer() async throws {
        let nobody = try await Program.run("config", "import", "--from-server", FakeServer.nobody)
        #expect(nobody.code == 3 && nobody.errors.contains("the server cannot be reached"), "\(nobody.errors)")
        try await FakeServer.run { _, _ in
            FakeServer.json("{}", 404)
        } _: { _, url in
            let other = try await Program.run("config", "import", "--from-server", url)
            #expect(other.code == 2 && other.errors.contains("is this the admin port"), "\(other.errors)")
        }
        try await FakeServer.run { _, _ in
            FakeServer.json("{}", 503)
        } _: { _, url in
            let failing = try await Program.run("config", "import", "--from-server", url)
            #expect(failing.code == 3 && failing.errors.contains("the server answers 503"), "\(failing.errors)")
        }
        #expect(try await Program.run("config", "import").code == 2)
        #expect(try await Program.run("config", "import", "a.json", "--from-server", FakeServer.nobody).code == 2)
    }

    @Test("The result is printed to standard output and as JSON, and a file that is not a configuration is refused")
    func output() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(#"{ "databases": { "a": { "bucket": "x" } } }"#, to: "sg.json")
        let text = try await Program.run("config", "import", source)
        #expect(text.code == 0 && text.output.contains("databases:\n  a:\n    store:"), "\(text.errors)")
        let json = try JSONValue(Array((try await Program.run("config", "import", source, "--json", "--quiet")).output.utf8.dropLast()))
        #expect(json["databases"]?.array == [.string("a")])
        #expect(json["dropped"]?.array?.first?["path"]?.string == "databases.a.bucket")
        #expect(json["configuration"]?.string == text.output)
        let bad = try await Program.run("config", "import", try folder.write("{\n\"databases\": `", to: "bad.json"))
        #expect(bad.code == 2 && bad.errors.contains("bad.json: line 2"), "\(bad.errors)")
        #expect(try await Program.run("config", "import", "/nowhere/sg.json").code == 2)
    }
}
