import Documents
import Foundation
import TestSupport
import Testing

@Suite("A server that is killed while a run reads it", .timeLimit(.minutes(5)))
struct LostSourceTests {
    /// A number with which some documents are stored when the connection ends: the last received ones may be lost with it.
    private static let count = 1_200

    private func config(_ folder: TemporaryFolder) throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: old.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
    }

    /// Documents that cannot be compressed much.
    private func fill(_ program: Program) async throws {
        var generator = SeededGenerator(seed: 5)
        let documents = (0..<Self.count).map { number in
            let noise = (0..<64).map { _ in String(generator.next(), radix: 36) }.joined()
            return #"{"_id":"d\#(number)","noise":"\#(noise)"}"#
        }
        let socket = try RawSocket(port: program.port)
        #expect(try await socket.ask("POST", "/shop/_bulk_docs", "{\"docs\":[\(documents.joined(separator: ","))]}").status == 201)
    }

    @Test("The run ends with an error; when the server runs again, the same command goes on", arguments: ["http", "ws"])
    func killed(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let config = try config(folder)
        let first = try await Program(serving: config)
        let proxy = try TestProxy(to: first.port)
        defer { proxy.end() }
        try await fill(first)
        func command(_ target: String) -> [String] {
            ["migrate", "--from", "\(scheme)://127.0.0.1:\(proxy.port)/shop", "--to", "\(folder.path)/\(target).dualgauge"]
                + ["--batch", "20", "--json", "--max-attempts", "1"]
        }
        proxy.open(for: 500_000)
        let lost = try await Program.run(command("new"))
        await first.kill()
        #expect(lost.code == 3, "\(lost.output)")
        let second = try await Program(serving: config)
        proxy.redirect(to: second.port)
        proxy.open(for: .max / 2)
        let before = proxy.bytes
        let again = try await Program.run(command("new"))
        #expect(again.code == 0, "\(again.errors) \(again.output)")
        let report = try JSONValue(Array(again.output.utf8))
        #expect(report["verification"]?["equal"]?.int == Self.count)
        let rest = proxy.bytes - before
        // Another run from the beginning shows the total.
        let whole = try await Program.run(command("other"))
        #expect(whole.code == 0, "\(whole.errors)")
        #expect(rest < proxy.bytes - before - rest)
        await second.kill()
    }
}
