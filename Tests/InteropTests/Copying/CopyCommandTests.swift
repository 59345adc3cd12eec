import Documents
import Foundation
import TestSupport
import Testing

@Suite("`dualgauge copy`")
struct CopyCommandTests {
    private func config(_ folder: TemporaryFolder, _ store: String) throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: \(store)\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "\(store).yaml")
    }

    private func rows(_ socket: RawSocket, since: Int) async throws -> (ids: [String], last: Int) {
        let answer = try await socket.ask("GET", "/shop/_changes?since=\(since)")
        let feed = try JSONValue(answer.body)
        return (
            feed["results"]?.array?.compactMap { $0["id"]?.string } ?? [],
            try #require(feed["last_seq"]?.int ?? feed["last_seq"]?.string.flatMap { Int($0) })
        )
    }

    @Test("A served store goes to PostgreSQL and back; its bridge refuses writes, and a client reads nothing again at the last place")
    func thereAndBack() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = ("\(folder.path)/old.dualgauge", "\(folder.path)/new.dualgauge")
        let schema = "command_" + UUID().uuidString.prefix(8).lowercased()
        let server = try TestPostgreSQL.url()
        let address = server + (server.contains("?") ? "&" : "?") + "schema=\(schema)"
        let first = try await Program(serving: try config(folder, "old.dualgauge"))
        let socket = try RawSocket(port: first.port)
        for number in 0..<10 { #expect(try await socket.ask("PUT", "/shop/d\(number)", "{}").status == 201) }
        let (ids, last) = try await rows(socket, since: 0)
        #expect(ids.count == 10)
        #expect(last > 1_000_000_000)

        let there = try await Program.run("copy", old, address, "--json")
        #expect(there.code == 0, "\(there.errors)")
        #expect(there.output.contains("\"kept\":false"))
        let refused = try await socket.ask("PUT", "/shop/late", "{}")
        #expect(refused.status == 503)
        #expect(try await socket.ask("GET", "/shop/d1").status == 200)
        await first.kill()
        let served = try await Program.run("serve", "--config", try config(folder, "old.dualgauge"))
        #expect(served.code == 2)
        #expect(served.errors.contains("was moved to") && served.errors.contains(schema), "\(served.errors)")
        #expect(try await Program.run("copy", "--verify-only", old, address).code == 0)

        let back = try await Program.run("copy", address, new)
        #expect(back.code == 0, "\(back.errors)")
        #expect(try await Program.run("copy", "--verify-only", old, new).code == 0)
        #expect(try await Program.run("check", new).code == 0)
        let second = try await Program(serving: try config(folder, "new.dualgauge"))
        let other = try RawSocket(port: second.port)
        #expect(try await rows(other, since: last).ids.isEmpty)
        #expect(try await other.ask("PUT", "/shop/late", "{}").status == 201)
        let later = try await rows(other, since: last).ids
        #expect(later == ["late"])
        await second.kill()
        let different = try await Program.run("copy", "--verify-only", old, new)
        #expect(different.code == 1)
        #expect(different.output.contains("documents, key 11: is in the copy alone"), "\(different.output)")
    }

    @Test(
        "Mistakes are named with a remedy",
        arguments: [
            (["copy", "a"], "Name the new place"), (["copy", "--release", "a", "b"], "--release takes one store"),
            (["copy", "a", "b", "--keep", "--verify-only"], "Choose one of"),
            (["copy", "/nonexistent/a", "b"], "there is no store here"),
            (["copy", "--release", "/nonexistent/a"], "there is no store here"),
        ])
    func mistakes(arguments: [String], words: String) async throws {
        let result = try await Program.run(arguments)
        #expect(result.code == 2 || result.code == 3)
        #expect(result.errors.contains(words), "\(result.errors)")
    }
}
