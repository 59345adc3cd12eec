import Documents
import Foundation
import Testing

@Suite("The command line")
struct CommandTests {
    private func config(_ folder: TemporaryFolder, _ lines: String = "", port: Int = 0) throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:\(port)\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n\(lines)", to: "dualgauge.yaml")
    }

    @Test("`config check` of a good file, and of a bad one")
    func configCheck() async throws {
        let folder = try TemporaryFolder()
        let good = try await Program.run("config", "check", try config(folder))
        #expect(good.code == 0 && good.output.contains("is valid"))
        let bad = try await Program.run("config", "check", try config(folder, "    rotues: []\n"))
        #expect(bad.code == 2)
        #expect(bad.errors.contains("databases.shop.rotues") && bad.errors.contains("`routes`"), "\(bad.errors)")
    }

    @Test("`check` of a store that is not there")
    func missingStore() async throws {
        let result = try await Program.run("check", "/nowhere/shop.dualgauge")
        #expect(result.code == 3)
        #expect(result.errors.contains("/nowhere/shop.dualgauge"))
    }

    @Test("`serve` on a port in use names the address")
    func portInUse() async throws {
        let folder = try TemporaryFolder()
        let first = try await Program(serving: try config(folder))
        let other = try TemporaryFolder()
        let result = try await Program.run("serve", "--config", try config(other, port: first.port))
        await first.kill()
        #expect(result.code == 3)
        #expect(result.errors.contains("127.0.0.1:\(first.port)"), "\(result.errors)")
    }

    @Test("`migrate --in` previews, moves and puts back")
    func migrate() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        let socket = try RawSocket(port: program.port)
        #expect(try await socket.ask("PUT", "/shop/o1", "{\"type\":\"order\"}").status == 201)
        #expect(try await socket.ask("PUT", "/shop/n1", "{\"type\":\"note\"}").status == 201)
        await program.kill()
        let routes = try folder.write(
            "collections: { sales.orders: {} }\nroutes:\n  - { to: sales.orders, when: { property: type, equals: order } }\n",
            to: "routes.yaml")
        let store = "\(folder.path)/shop.dualgauge"
        for (flags, isDryRun) in [(["--dry-run"], true), ([], false)] {
            let result = try await Program.run(["migrate", "--in", store, "--routes", routes, "--json"] + flags)
            #expect(result.code == 0, "\(result.errors)")
            let report = try JSONValue(Array(result.output.utf8.dropLast()))
            #expect(report["dryRun"]?.bool == isDryRun)
            #expect(report["collections"]?.array?.first?["documents"]?.int == 1)
        }
        let revert = try await Program.run(["migrate", "--in", store, "--routes", routes, "--json", "--revert"])
        #expect(revert.output.contains("\"reverted\":1"))
        #expect(try await Program.run("check", store).code == 0)
    }
}
