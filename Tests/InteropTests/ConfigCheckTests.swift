import Documents
import Foundation
import Testing

@Suite("The command line: config check")
struct ConfigCheckTests {
    private func json(_ path: String) async throws -> (code: Int32, json: JSONValue, errors: String) {
        let result = try await Program.run("config", "check", path, "--json")
        return (result.code, try JSONValue(Array(result.output.utf8.dropLast())), result.errors)
    }

    @Test("All mistakes of a file are reported in one run, as text and as JSON, and `serve` reports the same")
    func mistakes() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "databases:\n  shop:\n    store: s\n    conflicts: keeep\n    collections:\n      a.b:\n        sync: |\n          function (doc) {\n            channel(;\n          }\n    routes:\n      - { to: c.d, when: { channel: x } }\n",
            to: "bad.yaml")
        let text = try await Program.run("config", "check", path)
        #expect(text.code == 2 && text.output.isEmpty)
        for place in [
            "\(path):4:5: error: databases.shop.conflicts: ", "\(path):9:21: error: databases.shop.collections.a.b.sync: ",
            "\(path):12:9: error: databases.shop.routes[1]: ",
        ] {
            #expect(text.errors.contains(place), "\(text.errors)")
        }
        let (code, json, errors) = try await json(path)
        #expect(code == 2 && errors.isEmpty && json["valid"]?.bool == false)
        #expect(json["findings"]?.array?.compactMap { $0["line"]?.int } == [4, 9, 12])
        let first = try #require(json["findings"]?.array?.first)
        #expect(first["severity"]?.string == "error" && first["code"]?.string == "badValue" && first["column"]?.int == 5)
        #expect(first["file"]?.string == path && first["path"]?.string == "databases.shop.conflicts")
        #expect(first["message"]?.string?.contains("`keep`") == true)
        let served = try await Program.run("serve", "--config", path)
        #expect(served.code == 2)
        for line in [4, 9, 12] { #expect(served.errors.contains("\(path):\(line):"), "\(served.errors)") }
        #expect(try await self.json("/nowhere/dualgauge.yaml").code == 2)
    }

    @Test("Warnings alone are printed with exit code 0, also for files of routes")
    func warnings() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: s.dualgauge\n    users:\n      anna: { password: secret, roles: [ghosts] }\n",
            to: "fair.yaml")
        let text = try await Program.run("config", "check", path)
        #expect(text.code == 0 && text.output.contains("is valid"))
        #expect(text.errors.contains("\(path):6:41: warning: databases.shop.users.anna.roles[1]: "), "\(text.errors)")
        let (code, json, _) = try await json(path)
        #expect(code == 0 && json["valid"]?.bool == true && json["findings"]?.array?.first?["severity"]?.string == "warning")
        let routes = try folder.write(
            "collections: { a.b: {} }\nroutes:\n  - { to: a.b, when: { idPrefix: a } }\n  - { to: a.b, when: { idPrefix: ab } }\n",
            to: "routes.yaml")
        let plan = try await Program.run("config", "check", routes)
        #expect(plan.code == 0 && plan.errors.contains("\(routes):4:5: warning: routes[2]: "), "\(plan.errors)")
    }

    @Test("SIGHUP uses the same reader: it logs warnings, and all mistakes of a refused file")
    func reloading() async throws {
        let folder = try TemporaryFolder()
        let head = "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: s.dualgauge\n"
        let path = try folder.write(head, to: "bridge.yaml")
        let program = try await Program(serving: path)
        _ = try folder.write(head + "    users:\n      anna: { password: secret, roles: [ghosts] }\n", to: "bridge.yaml")
        #expect(try await program.reload(until: "`ghosts`").contains("bridge.yaml:6:41"))
        _ = try folder.write(head + "    conflicts: keeep\n    departures: loud\n", to: "bridge.yaml")
        #expect(try await program.reload(until: "`keeep`").contains("bridge.yaml:5:5"))
        #expect(try await program.reload(until: "`loud`").contains("bridge.yaml:6:5"))
        #expect(try await RawSocket(port: program.port).ask("GET", "/shop/").status == 401)
        await program.kill()
    }
}
