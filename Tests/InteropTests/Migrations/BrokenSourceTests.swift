import Documents
import Foundation
import Testing

@Suite("Damaged sources, through the whole command")
struct BrokenSourceTests {
    private func migrate(_ lines: [[UInt8]]) async throws -> (result: Program.Result, report: JSONValue, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let dump = "\(folder.path)/dump.jsonl"
        try Data(lines.joined(separator: [0x0a])).write(to: URL(fileURLWithPath: dump))
        let result = try await Program.run("migrate", "--from", dump, "--to", "\(folder.path)/new.dualgauge", "--json")
        return (result, try JSONValue(Array(result.output.utf8)), folder)
    }

    private func failures(_ report: JSONValue) -> [String] {
        report["failures"]?["items"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    @Test("Each fault excludes its own document, is reported, and makes the exit code 1")
    func faults() async throws {
        let large = #"{"_id":"large","_rev":"1-aa","x":""# + String(repeating: "x", count: 21 << 20) + #""}"#
        let lines = [
            #"{"_id":"first","_rev":"1-aa"}"#, #"{"_id":"_bad","_rev":"1-aa"}"#, large,
            #"{"_id":"lacks","_rev":"1-aa","_attachments":{"a":{"stub":true,"digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":3}}}"#,
            #"{"_id":"last","_rev":"1-aa"}"#,
        ].map { Array($0.utf8) }
        let invalid = Array(#"{"_id":"utf8","_rev":"1-aa","x":""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8)
        let (result, report, folder) = try await migrate([invalid] + lines)
        #expect(result.code == 1, "\(result.errors)")
        #expect(report["run"]?["state"]?.string == "finished")
        let named = failures(report)
        #expect(named.count == 3, "\(named)")
        #expect(named.contains("_bad") && !named.contains("lacks"), "\(named)")
        #expect(report["missingAttachments"]?["items"]?.array?.first?["id"]?.string == "lacks")
        let listed = try await Program.run("quarantine", "list", "\(folder.path)/new.dualgauge")
        #expect(listed.output.contains("3 in quarantine, 1 attachments missing"), "\(listed.output)")
        let export = "\(folder.path)/quarantine.jsonl"
        #expect(try await Program.run("quarantine", "export", "\(folder.path)/elsewhere.dualgauge", export).code != 0)
        #expect(!FileManager.default.fileExists(atPath: export), "a failed export leaves no file, so it can be repeated")
        #expect(try await Program.run("quarantine", "export", "\(folder.path)/new.dualgauge", export).code == 0)
        let exported = try String(contentsOfFile: export, encoding: .utf8).split(separator: "\n")
        #expect(exported.count == 3 && exported.allSatisfy { !$0.contains("\"bytes\":\"\"") })
        let retried = try await Program.run("quarantine", "retry", "\(folder.path)/new.dualgauge", "--json")
        #expect(retried.code == 1)
        #expect(try await Program.run("check", "\(folder.path)/new.dualgauge").code == 0)
    }

    @Test("A file that is no source is refused before a store is created")
    func noSource() async throws {
        let folder = try TemporaryFolder()
        let encrypted = "\(folder.path)/secret.cblite"
        try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }).write(to: URL(fileURLWithPath: encrypted))
        let new = "\(folder.path)/new.dualgauge"
        let result = try await Program.run("migrate", "--from", encrypted, "--to", new)
        #expect(result.code == 2, "\(result.errors)")
        #expect(result.errors.contains("encrypted"), "\(result.errors)")
        #expect(try await Program.run("migrate", "--from", "\(folder.path)/none.cblite2", "--to", new).code == 3)
        #expect(!FileManager.default.fileExists(atPath: new))
    }
}
