import Documents
import Foundation
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

    @Test("What is imported is served: users log in with the passwords that they have")
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
        #expect(again.code == 2 && again.errors.contains("there already"), "\(again.errors)")

        let login = "Authorization: Basic \(Data("alice:secret".utf8).base64EncodedString())\r\n"
        let store = "\(folder.path)/shop.dualgauge"
        for isFirst in [true, false] {
            let program = try await Program(serving: target)
            let socket = try RawSocket(port: program.port)
            let id = isFirst ? "one" : "two"
            #expect(try await socket.ask("PUT", "/shop/\(id)", #"{"to":"s"}"#, headers: login).status == (isFirst ? 201 : 401))
            if isFirst { #expect(try await socket.ask("GET", "/shop/one", headers: login).status == 200) }
            await program.kill()
            // Whom an administrator has removed stays away.
            if isFirst { #expect(try await Program.run("user", "remove", "alice", "--store", store).code == 0) }
        }
        #expect(try await Program.run("role", "list", "--store", store).output == "staff\n")
    }

    @Test("To standard output, as JSON, and what is no configuration")
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
