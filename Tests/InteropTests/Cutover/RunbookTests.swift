import Documents
import Foundation
import Testing

/// `docs/cutover-runbook.md`: its configuration is served with an old server, and its commands are run in its order.
@Suite("The runbook", .serialized, .timeLimit(.minutes(5)))
struct RunbookTests {
    private static let text: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appendingPathComponent("docs/cutover-runbook.md"), encoding: .utf8)) ?? ""
    }()

    @Test("Every command of the runbook has the described effect, in the runbook's order")
    func commands() async throws {
        let commands = DocumentedCommandTests.commands(in: Self.text).map(\.arguments)
        #expect(commands.count >= 15)
        try await CutoverWorld.withOld { old in
            try await CutoverWorld.write("order::17", #"{"type":"order"}"#, on: old)
            let folder = try TemporaryFolder()
            let config = try folder.write(try configuration(over: old), to: "dualgauge.yaml")
            let program = try await Program(serving: config)
            do {
                for command in commands where command.first != "serve" {
                    try await run(command, program, old, folder)
                }
                let status = try await Program.run("cutover", "status", "shop", "--json", "--admin", program.adminURL)
                let json = try JSONValue(Array(status.output.utf8))
                #expect(json["stage"]?.string == "complete", "\(status)")
            } catch {
                await program.kill()
                throw error
            }
            await program.kill()
            #expect(try await CutoverWorld.leaves(of: old).count == 1)
        }
    }

    /// The page's configuration, with the old server of the test and with free ports.
    private func configuration(over old: RunningBridge) throws -> String {
        let block = try #require(Self.text.firstMatch(of: /```yaml\n((?s).*?)```/)).1
        return block.replacingOccurrences(of: "https://old.example.com", with: old.url)
            .replacingOccurrences(of: "127.0.0.1:4984", with: "127.0.0.1:0").replacingOccurrences(of: "127.0.0.1:4985", with: "127.0.0.1:0")
    }

    /// Repeats a command until it succeeds: the runbook asks to wait until the replication has caught up.
    private func run(_ command: [String], _ program: Program, _ old: RunningBridge, _ folder: TemporaryFolder) async throws {
        var arguments = command.map { argument in
            if argument.hasPrefix("https://old.example.com") {
                return argument.replacingOccurrences(of: "https://old.example.com", with: old.url)
            }
            return ["dualgauge.yaml", "shop.dualgauge", "shop.backup"].contains(argument) ? "\(folder.path)/\(argument)" : argument
        }
        if ["cutover", "explain", "fleet"].contains(command.first) { arguments += ["--admin", program.adminURL] }
        var result = try await Program.run(arguments)
        while result.code != 0 {
            // Only commands that wait for documents may fail at first.
            try #require(["cutover", "verify", "explain"].contains(command.first), "\(command): \(result)")
            try #require(result.code != 3, "\(command): \(result)")
            result = try await Program.run(arguments)
        }
    }
}
