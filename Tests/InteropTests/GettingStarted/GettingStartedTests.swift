import Foundation
import Testing

/// `docs/getting-started.md`: its commands are run in its order, and have to print the output of the page.
@Suite("Getting started", .timeLimit(.minutes(5)))
struct GettingStartedTests {
    private static let page = "docs/getting-started.md"

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every command prints the output of the page")
    func commands() async throws {
        let commands = ConsoleCommand.all(in: try String(contentsOf: Self.root.appendingPathComponent(Self.page), encoding: .utf8))
        #expect(commands.count >= 20)
        let trial = try ConsoleTrial(root: Self.root, sample: "samples/getting-started", ports: [4984, 4985, 5984, 5985], admin: 4985)
        do {
            for command in commands {
                guard let printed = try await trial.run(command) else { continue }
                Issue.record("\(Self.page):\(command.line): `\(command.text)` has another output than the page:\n\(printed)")
                break
            }
        } catch {
            await trial.stop()
            throw error
        }
        await trial.stop()
    }

    @Test(
        "The comparison of outputs finds differences",
        arguments: [
            ("a\nb", "a\nb\n", true), ("a\nb", "a\n", false), ("a", "a\nb\n", false), ("", "", true), ("a …b", "a 17 b\n", true),
            ("a … b", "a b\n", false), ("…\nb", "1\n2\nb\n", true), ("…\nb", "b\n", true), ("a\n…", "b\n", false), ("a", "a   \r\n", true),
            ("a\nb", "a\nreading 8/8 100 %, 312/s\nb\n", true), ("finished: …/s", "finished: 8 documents, 312/s\n", true),
        ])
    func comparison(shown: String, printed: String, isSame: Bool) throws {
        let page = "```console\n$ command\n" + (shown.isEmpty ? "" : shown + "\n") + "```\n"
        let command = try #require(ConsoleCommand.all(in: page).first)
        #expect(command.prints(printed) == isSame)
    }
}
