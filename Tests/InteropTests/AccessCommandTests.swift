import Documents
import Foundation
import Testing

@Suite("The command line: users, roles and sessions", .serialized)
struct AccessCommandTests {
    private func store(_ folder: TemporaryFolder) async throws -> (config: String, store: String) {
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n",
            to: "dualgauge.yaml")
        let program = try await Program(serving: config)
        await program.kill()
        return (config, "\(folder.path)/shop.dualgauge")
    }

    @Test("The commands add, change, show, list and remove users and roles of a store")
    func accounts() async throws {
        let folder = try TemporaryFolder()
        let store = try await store(folder).store
        let role = try await Program.run("role", "add", "staff", "--channel", "s", "--store", store)
        #expect(role.code == 0 && role.output.contains("Added role staff"), "\(role.errors)")
        let added = try await Program.run(
            "user", "add", "alice", "--password", "secret", "--channel", "a", "--role", "staff", "--json", "--store", store)
        #expect(added.code == 0, "\(added.errors)")
        #expect(try JSONValue(Array(added.output.utf8))["all_channels"]?.array == [.string("!"), .string("a"), .string("s")])
        #expect(!added.output.contains("secret"))
        let again = try await Program.run("user", "add", "alice", "--password", "x", "--store", store)
        #expect(again.code == 2 && again.errors.contains("already"), "\(again.errors)")
        #expect(try await Program.run("user", "set", "alice", "--channel", "", "--disable-login", "--store", store).code == 0)
        let shown = try await Program.run("user", "show", "alice", "--json", "--store", store)
        let json = try JSONValue(Array(shown.output.utf8))
        #expect(json["disabled"]?.bool == true)
        #expect(json["admin_channels"] == nil)
        #expect(try await Program.run("user", "list", "--store", store).output == "alice\n")
        #expect(try await Program.run("user", "remove", "alice", "--store", store).code == 0)
        #expect(try await Program.run("user", "set", "alice", "--email", "a@b", "--store", store).code == 2)
        #expect(try await Program.run("check", store).code == 0)
    }

    @Test("The commands create and revoke sessions, and a wrong call names the missing argument")
    func sessions() async throws {
        let folder = try TemporaryFolder()
        let store = try await store(folder).store
        #expect(try await Program.run("user", "add", "alice", "--password", "secret", "--store", store).code == 0)
        let made = try await Program.run("session", "create", "alice", "--ttl", "60", "--json", "--store", store)
        let id = try #require(try JSONValue(Array(made.output.utf8))["session_id"]?.string)
        #expect(try await Program.run("session", "revoke", id, "--store", store).code == 0)
        #expect(try await Program.run("session", "revoke", id, "--store", store).code == 2)
        #expect(try await Program.run("session", "revoke", "--user", "alice", "--store", store).code == 0)
        #expect(try await Program.run("session", "create", "nobody", "--store", store).code == 2)
        let nowhere = try await Program.run("user", "list")
        #expect(nowhere.code == 2 && nowhere.errors.contains("--admin"), "\(nowhere.errors)")
        #expect(try await Program.run("user", "list", "--admin", "http://127.0.0.1:1/shop").code == 3)
        #expect(try await Program.run("user", "list", "--store", "/nowhere/x.dualgauge").code == 3)
    }
}
