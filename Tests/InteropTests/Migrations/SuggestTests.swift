import Documents
import Foundation
import Testing

@Suite("`migrate --suggest`, and the use of its file")
struct SuggestTests {
    private func suggest(_ lines: [String], _ folder: TemporaryFolder, _ options: String...) async throws -> (dump: String, routes: String)
    {
        let dump = try folder.write(lines.joined(separator: "\n"), to: "dump.jsonl")
        let routes = "\(folder.path)/routes.yaml"
        let written = try await Program.run(["migrate", "--from", dump, "--suggest", "--output", routes] + options)
        #expect(written.code == 0, "\(written.errors)")
        let printed = try await Program.run(["migrate", "--from", dump, "--suggest"] + options)
        #expect(printed.output == (try String(contentsOfFile: routes, encoding: .utf8)))
        return (dump, routes)
    }

    @Test("`config check`, a dry run and a run accept the file unchanged")
    func accepted() async throws {
        let folder = try TemporaryFolder()
        // Realistic values and IDs.
        let values = ["order", "Überweisung: \"neu\"", "a'b # c", "${HOME}", "yes", "null", "17", "order item", "{x}", "- y", "\\u0000"]
        let lines = values.enumerated().flatMap { index, value in
            (0..<30).map { #"{"_id":"k\#(index)-\#($0)","_rev":"1-aa","type":"\#(value.replacing("\"", with: "\\\""))","n":\#($0)}"# }
        }
        let (dump, routes) = try await suggest(lines, folder, "--scope", "shop")
        let check = try await Program.run("config", "check", routes)
        #expect(check.code == 0, "\(check.errors)")
        #expect(check.output.contains("routes"), "\(check.output)")
        let command = ["migrate", "--from", dump, "--to", "\(folder.path)/new.dualgauge", "--routes", routes, "--json"]
        let dry = try await Program.run(command + ["--dry-run"])
        #expect(dry.code == 0, "\(dry.errors)")
        let run = try await Program.run(command)
        #expect(run.code == 0, "\(run.errors)")
        let collections = try JSONValue(Array(run.output.utf8))["collections"]?.array ?? []
        // Each value has a collection, and each document is in one.
        #expect(collections.count == values.count, "\(collections.compactMap { $0["name"]?.string })")
        #expect(!collections.contains { $0["name"]?.string == "_default._default" })
    }

    @Test("A file without suggestions is accepted, too", arguments: [0, 3])
    func nothing(documents: Int) async throws {
        let folder = try TemporaryFolder()
        let lines = (0..<documents).map { #"{"_id":"\#($0)","_rev":"1-aa"}"# }
        let (_, routes) = try await suggest(lines, folder)
        let check = try await Program.run("config", "check", routes)
        #expect(check.code == 0, "\(check.errors)")
    }
}
