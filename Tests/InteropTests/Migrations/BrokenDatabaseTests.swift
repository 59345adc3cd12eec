import Documents
import Foundation
import GRDB
import LegacyFiles
import TestSupport
import Testing

@Suite("Damaged databases of Couchbase Lite 1.x, through the whole command")
struct BrokenDatabaseTests {
    private static let pageSize = 1024

    /// Creates a database, and returns its file.
    private func database(_ folder: TemporaryFolder, _ fill: (LegacyDatabaseFile) throws -> Void) throws -> (path: String, file: URL) {
        let path = "\(folder.path)/old.cblite2"
        try FileManager.default.createDirectory(atPath: path + "/attachments", withIntermediateDirectories: true)
        let builder = try LegacyDatabaseFile("\(path)/db.sqlite3")
        try fill(builder)
        try builder.queue.close()
        return (path, URL(fileURLWithPath: "\(path)/db.sqlite3"))
    }

    private struct Run {
        let result: Program.Result
        let report: JSONValue
        let page: String

        var failures: [JSONValue] { report["failures"]?["items"]?.array ?? [] }
        var written: Int {
            report["collections"]?.array?.reduce(0) { $0 + ($1["written"]?["documents"]?.int ?? 0) } ?? 0
        }
    }

    private func migrate(_ source: String, _ folder: TemporaryFolder) async throws -> Run {
        let (store, page) = ("\(folder.path)/new.dualgauge", "\(folder.path)/run.html")
        let result = try await Program.run("migrate", "--from", source, "--to", store, "--json", "--report", page)
        let report = try JSONValue(Array(result.output.utf8))
        #expect(report["run"]?["state"]?.string == "finished", "\(result.errors)")
        #expect(try await Program.run("check", store).code == 0)
        return Run(result: result, report: report, page: try String(contentsOfFile: page, encoding: .utf8))
    }

    @Test("A body of 100 MB, an invalid ID and invalid UTF-8 each exclude their own document; a missing attachment excludes none")
    func documents() async throws {
        let folder = try TemporaryFolder()
        let missing = #"{"_attachments":{"a":{"stub":true,"digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":3,"revpos":1}}}"#
        let (source, _) = try database(folder) { builder in
            try builder.fill(1...50)
            try builder.add("_reserved", json: "{}")
            try builder.add(Data([0x61, 0xff]), json: Data("{}".utf8))
            try builder.add("not-utf8", json: nil)
            try builder.add("lacks", json: missing)
            try builder.add("huge", json: "{}")
            try builder.queue.write { database in
                try database.execute(
                    sql: "UPDATE revs SET json = ? WHERE json IS NULL AND current",
                    arguments: [Data(#"{"a":""#.utf8) + [0xff] + Data(#""}"#.utf8)])
                try database.execute(
                    sql: "UPDATE revs SET json = zeroblob(104857600) WHERE doc_id = (SELECT doc_id FROM docs WHERE docid = 'huge')")
            }
            try builder.fill(51...60)
        }
        let run = try await migrate(source, folder)
        #expect(run.result.code == 1, "\(run.result.errors)")
        #expect(run.written == 61)
        #expect(Set(run.failures.compactMap { $0["id"]?.string }) == ["_reserved", "a\u{fffd}", "not-utf8", "huge"])
        #expect(run.failures.first { $0["id"]?.string == "huge" }?["reason"]?.string?.contains("104857600") == true)
        for name in ["_reserved", "not-utf8", "lacks", "huge"] { #expect(run.page.contains(name), "\(name)") }
    }

    @Test("A damaged page excludes only the documents on it")
    func page() async throws {
        let folder = try TemporaryFolder()
        let (source, file) = try database(folder) { try $0.fill(1...120) }
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.firstRange(of: Data(#"{"n":60,"#.utf8))).lowerBound
        let page = place / Self.pageSize * Self.pageSize
        bytes.replaceSubrange(page..<page + Self.pageSize, with: Data(repeating: 0xa5, count: Self.pageSize))
        try bytes.write(to: file)
        let run = try await migrate(source, folder)
        #expect(run.result.code == 1, "\(run.result.errors)")
        #expect(run.written >= 100 && run.written < 120, "\(run.written)")
        #expect(run.failures.contains { $0["id"]?.string == "d60" }, "\(run.failures)")
        #expect(run.page.contains("d60"))
    }

    @Test("A truncated file gives the documents of its first part")
    func truncated() async throws {
        let folder = try TemporaryFolder()
        let (source, file) = try database(folder) { try $0.fill(1...400) }
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count * 3 / 4).write(to: file)
        let run = try await migrate(source, folder)
        #expect(run.result.code == 1, "\(run.result.errors)")
        #expect(run.written > 100, "\(run.written)")
        #expect(!run.failures.isEmpty)
    }

    @Test("A truncated dump gives its complete documents, and the error names the place where it ends", arguments: ["jsonl", "json"])
    func truncatedDump(form: String) async throws {
        let folder = try TemporaryFolder()
        let documents = (0..<100).map { #"{"_id":"d\#($0)","_rev":"1-aa","n":\#($0)}"# }
        let rows = documents.enumerated().map { #"{"id":"d\#($0)","key":"d\#($0)","value":{"rev":"1-aa"},"doc":\#($1)}"# }
        let whole =
            form == "jsonl"
            ? documents.joined(separator: "\n") : #"{"total_rows":100,"offset":0,"rows":["# + rows.joined(separator: ",\n") + "]}"
        let dump = try folder.write(String(whole.prefix(whole.count / 2 + 7)), to: "dump.\(form)")
        let run = try await migrate(dump, folder)
        #expect(run.result.code == 1, "\(run.result.errors)")
        #expect(run.written > 40 && run.written < 60, "\(run.written)")
        // The truncated row, and perhaps the missing end.
        #expect((1...2).contains(run.failures.count), "\(run.failures)")
    }
}
