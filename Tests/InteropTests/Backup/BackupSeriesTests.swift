import Documents
import Foundation
import GRDB
import Testing

@Suite("The command line: a series of backups")
struct BackupSeriesTests {
    private let folder: TemporaryFolder
    private let config: String
    private var store: String { "\(folder.path)/shop.dualgauge" }
    private var backups: String { "\(folder.path)/backups" }

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
    }

    private var names: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: backups)) ?? []) }

    @Test("Each backup is checked, and replaces backups that no rule keeps; other files stay")
    func series() async throws {
        let bridge = try await Program(serving: config)
        let socket = try RawSocket(port: bridge.port)
        #expect(try await socket.ask("PUT", "/shop/kept", "{}").status == 201)
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true)
        let others = ["shop.dualgauge-notes.backup", "other.dualgauge-20200101T000000Z.backup", "shop.dualgauge-20200101T000000Z.txt"]
        let old = "shop.dualgauge-20200101T000000Z.backup"
        // Files that a killed run left.
        let left = ["", ".unfinished", ".trial"].map { "shop.dualgauge-20200102T000000Z.backup.unchecked\($0)" }
        for name in others + left + [old] { #expect(FileManager.default.createFile(atPath: "\(backups)/\(name)", contents: Data())) }

        let made = try await Program.run("backup", store, "--to", backups, "--keep", "24h:hourly,30d:daily", "--json")
        #expect(made.code == 0, "\(made.errors)")
        let summary = try JSONValue(Array(made.output.utf8.dropLast()))
        #expect(summary["checked"]?.bool == true && summary["removed"]?.int == 1)
        let file = try #require(summary["file"]?.string)
        #expect(names == Set(others + [URL(fileURLWithPath: file).lastPathComponent]))
        await bridge.kill()
        #expect(try await Program.run("restore", file, "\(folder.path)/restored.dualgauge").code == 0)
    }

    @Test("A damaged backup is removed, and earlier backups stay")
    func unsound() async throws {
        let bridge = try await Program(serving: config)
        let socket = try RawSocket(port: bridge.port)
        for number in 0..<20 { #expect(try await socket.ask("PUT", "/shop/d\(number)", #"{"n":\#(number)}"#).status == 201) }
        await bridge.kill()
        let old = "shop.dualgauge-20200101T000000Z.backup"
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: "\(backups)/\(old)", contents: Data()))
        let queue = try DatabaseQueue(path: "\(store)/store.sqlite")
        try await queue.write { try $0.execute(sql: "UPDATE document_counts SET live = live + 1") }
        try queue.close()
        let made = try await Program.run("backup", store, "--to", backups, "--keep", "1h:all")
        #expect(made.code == 3 && made.errors.contains("not sound"), "\(made.errors)")
        #expect(names == [old])
    }

    @Test("The series runs until it is interrupted")
    func goesOn() async throws {
        let bridge = try await Program(serving: config)
        await bridge.kill()
        let command = try RunningCommand("backup", store, "--to", backups, "--every", "1s", "--json")
        try await command.wait(for: "\n{")
        await command.interrupt()
        #expect(await command.end().code == 0)
    }
}
