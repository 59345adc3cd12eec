import Documents
import Foundation
import TestSupport
import Testing

@Suite("The command line: backup and restore")
struct BackupCommandTests {
    @Test("A store is copied while it is served, and writes after a restore reach clients that had seen more")
    func roundTrip() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
        let (store, backup) = ("\(folder.path)/shop.dualgauge", "\(folder.path)/shop.backup")
        let before = try await Program(serving: config)
        let socket = try RawSocket(port: before.port)
        #expect(try await socket.ask("PUT", "/shop/kept", "{}").status == 201)
        let made = try await Program.run("backup", store, backup, "--json")
        #expect(made.code == 0, "\(made.errors)")
        #expect(try (JSONValue(Array(made.output.utf8.dropLast()))["bytes"]?.int ?? 0) > 0)
        let again = try await Program.run("backup", store, backup)
        #expect(again.code == 2 && again.errors.contains("exists already"), "\(again.errors)")
        for number in 1...3 { #expect(try await socket.ask("PUT", "/shop/lost\(number)", "{}").status == 201) }
        let seen = try #require(try await lastSequence(socket, since: "0"))
        await before.kill()

        let noBackup = try await Program.run("restore", "\(store)/store.sqlite", "\(folder.path)/new.dualgauge")
        #expect(noBackup.code == 3 && noBackup.errors.contains("write-ahead log"), "\(noBackup.errors)")
        let occupied = try await Program.run("restore", backup, store)
        #expect(occupied.code == 2 && occupied.errors.contains("exists already"), "\(occupied.errors)")
        try FileManager.default.removeItem(atPath: store)
        let restored = try await Program.run("restore", backup, store)
        #expect(restored.code == 0, "\(restored.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("unfinished") })
        #expect(try await Program.run("check", store).code == 0)

        let after = try await Program(serving: config)
        let reader = try RawSocket(port: after.port)
        #expect(try await reader.ask("GET", "/shop/kept").status == 200)
        #expect(try await reader.ask("GET", "/shop/lost1").status == 404)
        #expect(try await reader.ask("PUT", "/shop/new", "{}").status == 201)
        let changes = try await reader.ask("GET", "/shop/_changes?since=\(seen)")
        #expect(changes.text.contains("\"new\""), "\(changes.text)")
        await after.kill()
    }

    @Test("A store that another program has restored is completed in place, in a folder and in PostgreSQL", arguments: [false, true])
    func inPlace(isServer: Bool) async throws {
        let folder = try TemporaryFolder()
        let server = try TestPostgreSQL.url()
        let schema = "restored_" + UUID().uuidString.prefix(8).lowercased()
        let store = isServer ? server + (server.contains("?") ? "&" : "?") + "schema=\(schema)" : "\(folder.path)/shop.dualgauge"
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: \"\(store)\"\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
        let missing = try await Program.run("restore", "--in-place", store)
        #expect(missing.code == 3 && missing.errors.contains("there is no store here"), "\(missing.errors)")
        let before = try await Program(serving: config)
        let socket = try RawSocket(port: before.port)
        #expect(try await socket.ask("PUT", "/shop/kept", "{}").status == 201)
        let seen = try #require(try await lastSequence(socket, since: "0").flatMap { Int($0) })
        await before.kill()

        let completed = try await Program.run("restore", "--in-place", store)
        #expect(completed.code == 0, "\(completed.errors)")
        let after = try await Program(serving: config)
        let reader = try RawSocket(port: after.port)
        #expect(try await reader.ask("PUT", "/shop/new", "{}").status == 201)
        let changes = try await reader.ask("GET", "/shop/_changes?since=\(seen + 40_000_000)")
        #expect(changes.text.contains("\"new\""), "\(changes.text)")
        await after.kill()
        #expect(try await Program.run("restore", "--in-place", store, "x").code == 2)
    }

    @Test("A file that is not a backup is refused, and so is a store that does not exist")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let noBackup = try folder.write("text", to: "x.backup")
        #expect(try await Program.run("restore", noBackup, "\(folder.path)/y.dualgauge").code == 3)
        #expect(try await Program.run("backup", "\(folder.path)/none.dualgauge", "\(folder.path)/z").code == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x.backup"])
    }

    @Test("A damaged backup is restored only on request")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let (store, backup) = ("\(folder.path)/shop.dualgauge", "\(folder.path)/shop.backup")
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
        let bridge = try await Program(serving: config)
        let socket = try RawSocket(port: bridge.port)
        let text = String(repeating: "x", count: 20_000)
        for number in 0..<20 { #expect(try await socket.ask("PUT", "/shop/d\(number)", #"{"text":"\#(text)"}"#).status == 201) }
        await bridge.kill()
        #expect(try await Program.run("backup", store, backup).code == 0)
        let file = try #require(FileHandle(forUpdatingAtPath: backup))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 2 / 4096 * 4096)
        try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        try file.close()

        let refused = try await Program.run("restore", backup, "\(folder.path)/new.dualgauge")
        #expect(refused.code == 3 && refused.errors.contains("damaged"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/new.dualgauge"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/new.dualgauge.unfinished"))
        let meant = try await Program.run("restore", backup, "\(folder.path)/new.dualgauge", "--damaged")
        #expect(meant.code == 0 && meant.errors.contains("damaged"), "\(meant.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/new.dualgauge"))
    }

    @Test("A store with an empty database file is not opened as a new store")
    func emptied() async throws {
        let folder = try TemporaryFolder()
        let store = "\(folder.path)/shop.dualgauge"
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n",
            to: "dualgauge.yaml")
        let bridge = try await Program(serving: config)
        await bridge.kill()
        for name in try FileManager.default.contentsOfDirectory(atPath: store) where name != "store.lock" {
            try FileManager.default.removeItem(atPath: "\(store)/\(name)")
        }
        try Data().write(to: URL(fileURLWithPath: "\(store)/store.sqlite"))
        for command in [["check", store], ["serve", "--config", config]] {
            let refused = try await Program.run(command)
            #expect(refused.code == 3 && refused.errors.contains("store.sqlite is empty"), "\(refused.errors)")
        }
        #expect(try FileManager.default.attributesOfItem(atPath: "\(store)/store.sqlite")[.size] as? Int == 0)
    }

    private func lastSequence(_ socket: RawSocket, since: String) async throws -> String? {
        let answer = try await socket.ask("GET", "/shop/_changes?since=\(since)")
        let last = try JSONValue(Array(answer.text.utf8))["last_seq"]
        return last?.string ?? last?.int.map(String.init)
    }
}
