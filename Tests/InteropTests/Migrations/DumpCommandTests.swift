import Documents
import Foundation
import Testing

@Suite("`migrate --from` a dump, through the whole command")
struct DumpCommandTests {
    private func report(_ result: Program.Result) throws -> JSONValue { try JSONValue(Array(result.output.utf8)) }

    @Test("The dry run, the run, the report and the comparison agree on a document with two leaves; a repeated run reports nothing")
    func leaves() async throws {
        let folder = try TemporaryFolder()
        let dump = try folder.write(
            "{\"_id\":\"a\",\"_rev\":\"2-bbb\"}\n{\"_id\":\"b\",\"_rev\":\"1-a\"}\n{\"_id\":\"a\",\"_rev\":\"2-ccc\"}\n", to: "dump.jsonl")
        let command = ["migrate", "--from", dump, "--to", "\(folder.path)/new.dualgauge", "--json"]
        let (dry, run) = (try await Program.run(command + ["--dry-run"]), try await Program.run(command))
        #expect(dry.code == 0 && run.code == 0, "\(run.output) \(run.errors)")
        #expect(try report(dry)["collections"] == report(run)["collections"])
        let collection = try report(run)["collections"]?.array?.first
        #expect(collection?["documents"]?.int == 2 && collection?["conflicts"]?.int == 1)
        #expect(collection?["clashes"]?["documents"]?.int == 0)
        #expect(try report(run)["verification"]?["differences"]?["count"]?.int == 0)
        let again = try await Program.run(command)
        #expect(again.code == 0)
        #expect(try report(again)["collections"]?.array?.isEmpty == true)
        #expect(try report(again)["run"]?["message"]?.string?.contains("with 2 documents") == true)
    }

    @Test(
        "An attachment that one dump lacks is imported from another, also where its document was not written",
        arguments: ["keep", "quarantine"])
    func missingAttachment(policy: String) async throws {
        let folder = try TemporaryFolder()
        let digest = AttachmentDigest.sha1(of: Array("hello".utf8))
        func line(_ attachment: String) -> String {
            #"{"_id":"a","_rev":"1-a","_attachments":{"x":{"content_type":"text/plain","revpos":1,\#(attachment)}}}"# + "\n"
        }
        let bad = #"{"_id":"_bad","_rev":"1-a"}"# + "\n"
        let first = try folder.write(line("\"stub\":true,\"length\":5,\"digest\":\"\(digest)\"") + bad, to: "first.jsonl")
        let second = try folder.write(line("\"data\":\"aGVsbG8=\""), to: "second.jsonl")
        let store = "\(folder.path)/new.dualgauge"
        let run = try await Program.run("migrate", "--from", first, "--to", store, "--missing-attachments", policy, "--json")
        #expect(run.code == 1)
        #expect(try report(run)["collections"]?.array?.first?["written"]?["documents"]?.int == (policy == "keep" ? 1 : 0))
        let retried = try await Program.run("quarantine", "retry", store, "--from", second, "--json")
        #expect(retried.code == 1)
        #expect(try report(retried)[policy == "keep" ? "completedAttachments" : "written"]?.int == 1, "\(retried.output)")
        #expect(try report(retried)["remaining"]?.int == 1)
        let check = try await Program.run("check", store, "--json")
        #expect(try report(check)["attachments"]?.int == 1 && report(check)["missingAttachments"]?.int == 0)
    }
}
