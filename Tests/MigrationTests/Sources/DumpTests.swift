import Compression
import Documents
import Foundation
import Gateway
import Migration
import Testing

@Suite("Dumps")
struct DumpTests {
    /// Each form of the same four documents.
    private static let forms: [(String, String)] = {
        let documents = [
            "{\"_id\":\"a\",\"_rev\":\"1-aa\",\"n\":1.50}",
            "{\"_id\":\"b\",\"_rev\":\"2-bb\",\"_revisions\":{\"start\":2,\"ids\":[\"bb\",\"ab\"]},\"s\":\"]},{\\\"_id\\\":\"}",
            "{\"_id\":\"c\",\"_rev\":\"3-cc\",\"_deleted\":true}", "{\"_id\":\"é/ü\",\"_rev\":\"1-dd\",\"deep\":[[{\"_id\":\"no\"}],{}]}",
        ]
        let rows = documents.enumerated().map { "{\"id\":\"x\($0)\",\"key\":\"x\",\"value\":{\"rev\":\"1-x\"},\"doc\":\($1)}" }
        let changes = documents.enumerated().map { "{\"seq\":\"\($0)-abc\",\"id\":\"x\",\"changes\":[],\"doc\":\($1)}" }
        let pretty = documents.map { $0.replacing(",\"", with: ",\n  \"") }
        return [
            ("a document a line", documents.joined(separator: "\n")),
            ("a document a line, with empty lines", "\u{feff}\n" + documents.joined(separator: "\r\n\r\n") + "\r\n"),
            ("an array on one line", "[" + documents.joined(separator: ",") + "]"),
            ("an array, an element a line", "[\n" + documents.joined(separator: ",\n") + "\n]\n"),
            ("an array as people indent it", "[\n  " + pretty.joined(separator: ",\n  ") + "\n]\n"),
            (
                "couchbackup",
                "{\"name\":\"@cloudant/couchbackup\",\"version\":\"2.11.1\",\"mode\":\"full\"}\n["
                    + documents.prefix(3).joined(separator: ",") + "]\n[\(documents[3])]\n[]\n"
            ),
            ("bulk_docs", "{\"new_edits\":false,\"docs\":[" + documents.joined(separator: ", ") + "]}"),
            ("_all_docs of CouchDB", "{\"total_rows\":4,\"offset\":0,\"rows\":[\r\n" + rows.joined(separator: ",\r\n") + "\r\n]}\r\n"),
            ("_all_docs of Sync Gateway", "{\"rows\":[\n" + rows.joined(separator: "\n,") + "\n],\n\"total_rows\":4,\"update_seq\":9}\n"),
            ("_all_docs of PouchDB", "{\"total_rows\":4,\"offset\":0,\"rows\":[" + rows.joined(separator: ",") + "]}"),
            ("_changes of CouchDB", "{\"results\":[\n" + changes.joined(separator: ",\n") + "\n],\n\"last_seq\":\"9-x\",\"pending\":0}\n"),
            ("_changes on one line", "{\"results\":[" + changes.joined(separator: ",") + "],\"last_seq\":9}"),
            ("_changes that go on", changes.joined(separator: "\n") + "\n\n{\"last_seq\":9,\"pending\":0}\n"),
        ]
    }()

    private func check(_ items: [SourceItem], _ comment: Comment) {
        #expect(items.faults == [], comment)
        #expect(items.documents.map(\.id) == ["a", "b", "c", "é/ü"], comment)
        #expect(
            items.documents.map { $0.revisions.map { $0.history.map(\.text) } } == [
                [["1-aa"]], [["2-bb", "1-ab"]], [["3-cc"]], [["1-dd"]],
            ], comment)
        #expect(items.documents.flatMap { $0.revisions.map(\.isDeleted) } == [false, false, true, false], comment)
        #expect(items.documents.first?.revisions.first?.body == Array("{\"n\":1.50}".utf8), comment)
    }

    @Test("Each form is recognised by its content", arguments: 0..<13)
    func forms(index: Int) async throws {
        let (name, text) = Self.forms[index]
        let scratch = try Scratch()
        let path = try scratch.write(text.utf8, to: "dump.txt")
        check(try await SourceReading.items(try SourceOpener.open(path: path)), "\(name)")
        check(try await SourceReading.itemsReopening(path, limits: SourceBatchLimits(documents: 1)), "\(name), place by place")
        let zipped = try scratch.write(Gzip.compress(Array(text.utf8)), to: "dump.json.gz")
        check(try await SourceReading.itemsReopening(zipped, limits: SourceBatchLimits(documents: 3)), "\(name), gzip")
        if name.contains("a line") || name.hasPrefix("_changes that") {
            let middle = text.utf8.firstIndex(of: 0x0a).map { text.utf8.distance(from: text.utf8.startIndex, to: $0) } ?? 0
            let parts = [Array(text.utf8.prefix(middle)), Array(text.utf8.dropFirst(middle))]
            let several = try scratch.write(parts.flatMap { Gzip.compress($0) }, to: "several.gz")
            check(try await SourceReading.itemsReopening(several), "\(name), several gzip streams")
        }
    }

    @Test("Rows of deleted documents, without documents, and of conflicts are read")
    func rows() async throws {
        let scratch = try Scratch()
        let text = """
            {"seq":1,"id":"gone","changes":[{"rev":"2-aa"}],"deleted":true}
            {"seq":"2-x","id":"gone too","changes":[{"rev":"3-aa"}],"deleted":true,"doc":{"_id":"gone too","_rev":"3-aa","_deleted":true}}
            {"seq":3,"id":"bare","changes":[{"rev":"1-aa"}]}
            {"seq":4,"id":"conflict","changes":[{"rev":"2-bb"},{"rev":"2-aa"}],"doc":{"_id":"conflict","_rev":"2-bb"}}
            {"id":"dead","key":"dead","value":{"rev":"4-aa","deleted":true},"doc":null}
            {"key":"never","error":"not_found"}
            """
        let items = try await SourceReading.itemsReopening(try scratch.write(text.utf8, to: "changes.json"))
        #expect(items.documents.map(\.id) == ["gone", "gone too", "conflict", "dead"])
        #expect(items.documents.map(\.sequence) == ["1", "2-x", "4", nil])
        #expect(items.documents.map { $0.revisions[0].isDeleted } == [true, true, false, true])
        #expect(items.faults.map(\.id) == ["bare", "conflict"])
        #expect(items.faults.map(\.revision) == [nil, "2-aa"])
    }

    @Test("Inline attachments are read, and one without its bytes is a stub with missing bytes")
    func attachments() async throws {
        let scratch = try Scratch()
        let stub =
            "{\"_id\":\"b\",\"_rev\":\"1-b\",\"_attachments\":{\"x\":{\"stub\":true,\"digest\":\"md5-1B2M2Y8AsgTpgAmY7PhCfg==\",\"length\":0,\"revpos\":1}}}"
        let text =
            "{\"_id\":\"a\",\"_rev\":\"1-a\",\"_attachments\":{\"x\":{\"data\":\"aGVsbG8=\",\"content_type\":\"text/plain\"}}}\n\(stub)\n"
        let items = try await SourceReading.itemsReopening(try scratch.write(text.utf8, to: "a.json"))
        let entry = try #require(items.document("a")?.revisions.first?.attachments?.entries.first)
        #expect(try entry.inlineData() == Array("hello".utf8))
        #expect(items.faults.isEmpty)
        let missing = try #require(items.document("b")?.revisions.first?.attachments?.entries.first)
        #expect(missing.source == .stub && missing.digest?.description == "md5-1B2M2Y8AsgTpgAmY7PhCfg==")
        let source = try SourceOpener.open(path: "\(scratch.path)/a.json")
        let attachment = SourceAttachment(
            collection: .default, document: "b", revision: try #require(RevisionID("1-b")), name: "x", digest: nil)
        await #expect(throws: SourceError.self) { try await source.readAttachment(attachment) { _ in } }
    }

    @Test("Documents without revisions get the same ones in each run, and those without IDs are refused")
    func bareDocuments() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("{\"_id\":\"a\",\"n\":1,\"_exp\":1900000000}\n{\"n\":2}\n".utf8, to: "a.jsonl")
        let items = try await SourceReading.itemsReopening(path)
        let again = try await SourceReading.itemsReopening(path)
        #expect(items.documents.map(\.id) == ["a"])
        #expect(items.documents.first?.expiry == 1_900_000_000)
        #expect(items.documents.first?.revisions.first?.history == again.documents.first?.revisions.first?.history)
        #expect(items.faults.map(\.id) == ["byte 36"])
    }

    @Test("CouchDB's dump with attachments=true and conflicts=true is read, with digests of compressed bytes")
    func couchDB() async throws {
        let scratch = try Scratch()
        let text = """
            {"total_rows":2,"offset":0,"rows":[
            {"id":"att","key":"att","value":{"rev":"1-aa"},"doc":{"_id":"att","_rev":"1-aa","_attachments":{"f.txt":{"content_type":"text/plain",\
            "revpos":1,"digest":"md5-iMaiC8wqiFlD2NjLTemvCQ==","data":"aGVsbG8="}}}},
            {"id":"cf","key":"cf","value":{"rev":"2-cc"},"doc":{"_id":"cf","_rev":"2-cc","x":2,"_conflicts":["2-bb"]}}
            ]}
            """
        let items = try await SourceReading.itemsReopening(try scratch.write(text.utf8, to: "all.json"))
        let entry = try #require(items.document("att")?.revisions.first?.attachments?.entries.first)
        #expect(try entry.inlineData() == Array("hello".utf8))
        #expect(items.document("cf")?.revisions.first?.body == Array("{\"x\":2}".utf8))
        #expect(items.faults.map(\.id) == ["cf"])
        #expect(items.faults.map(\.revision) == ["2-bb"])
    }

    @Test("A dump that has become shorter counts as another one")
    func shorter() async throws {
        let scratch = try Scratch()
        let lines = Array("{\"_id\":\"a\"}\n{\"_id\":\"b\"}\n".utf8)
        for (name, bytes) in [("a.json", lines), ("a.json.gz", Gzip.compress(lines))] {
            let source = try SourceOpener.open(path: scratch.write(bytes, to: name))
            await #expect(throws: SourceError.self) {
                try await source.batch(after: SourceCursor(rawValue: "100"), limits: SourceBatchLimits())
            }
        }
    }
}
