import Documents
import Foundation
import Soak
import Testing

@Suite("A run that is paused by signals", .timeLimit(.minutes(5)))
struct PauseTests {
    /// A dump that takes minutes at ten documents a second.
    private static let count = 1_200

    private func dump(_ folder: TemporaryFolder) throws -> String {
        let lines = (0..<Self.count).map { #"{"_id":"d\#($0)","_rev":"1-aa","type":"\#($0 % 2 == 0 ? "order" : "note")"}"# }
        return try folder.write(lines.joined(separator: "\n"), to: "dump.jsonl")
    }

    @Test(
        "A run pauses after its batch, resumes, ends in order, and the next run goes on behind it", arguments: ["equals", "javascript"])
    func signals(predicate: String) async throws {
        let folder = try TemporaryFolder()
        // JavaScriptCore has signals of its own.
        let condition =
            predicate == "equals"
            ? "property: type, equals: order" : #"javascript: "function (doc) { return doc.type == 'order'; }""#
        let routes = try folder.write(
            "collections: { sales.orders: {} }\nroutes:\n  - { to: sales.orders, when: { \(condition) } }\n", to: "routes.yaml")
        let command = ["migrate", "--from", try dump(folder), "--to", "\(folder.path)/new.dualgauge", "--routes", routes]
        let errors = try ChildOutput()
        let process = try ChildProcess(
            try Program.path(), command + ["--rate", "10", "--batch", "5"], output: .nullDevice, errors: errors.writing)
        try errors.writing.close()
        let ended = Task { await process.end() }
        let lines = LineReader(errors.texts)
        // With its first line of progress it handles signals.
        _ = try await lines.line { $0.hasPrefix("writing ") && $0.contains("/\(Self.count) ") }
        kill(process.id, SIGUSR2)
        _ = try await lines.line { $0.contains("pausing after this batch") && $0.contains("kill -CONT \(process.id)") }
        _ = try await lines.line { $0.hasPrefix("waiting") && $0.hasSuffix("held up: paused") }
        kill(process.id, SIGCONT)
        _ = try await lines.line { $0 == "continuing" }
        _ = try await lines.line { $0.hasPrefix("writing") }
        kill(process.id, SIGUSR2)
        _ = try await lines.line { $0.contains("pausing after this batch") }
        // A paused run can be stopped, too.
        kill(process.id, SIGINT)
        #expect(await ended.value == 1)
        let result = try await Program.run(command + ["--json"])
        #expect(result.code == 0, "\(result.errors)")
        let report = try JSONValue(Array(result.output.utf8))
        #expect(report["run"]?["resumed"]?.int == 1)
        #expect(report["verification"]?["equal"]?.int == Self.count)
    }
}
