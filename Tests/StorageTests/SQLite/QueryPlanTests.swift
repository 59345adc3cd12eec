import Foundation
import Testing

@testable import SQLiteStorage
@testable import Storage

/// A query that scans a table of documents delays all others, so SQLite explains each query with the store's own tables.
@Suite("Queries search by an index")
struct QueryPlanTests {
    /// Tables with a limited number of rows, and tables of administrators' actions.
    private static let small: Set = [
        "collections", "cutover_steps", "fences", "migration_runs", "move_runs", "parked_revisions", "parked_surplus", "quarantine",
        "upstream",
        "upstream_losses", "upstream_sights", "visits", "sqlite_master",
    ]

    /// Tables that are scanned within a query after a search, or contain only the requested rows.
    private static let parts: Set = ["(subquery-1)", "(subquery-2)", "found", "json_each", "wanted", "places", "CONSTANT"]

    /// An index of documents in conflict alone.
    private static let partialIndex = "documents_conflicted"

    /// The texts of all queries except those of the check and of copies, which read everything.
    private static func queries() throws -> [(file: String, text: String)] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Sources/SQLiteStorage")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        let literal = try Regex(#""""\n((?s:.*?))"""|"((?:[^"\\\n]|\\.)*)""#)
        var queries: [(String, String)] = []
        for file in files where file.pathExtension == "swift" && !file.path.contains("/Check/") && !file.path.contains("/Copying/") {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: literal) {
                let text = [1, 2].compactMap { match.output[$0].substring }.joined().replacing("\\\n", with: "\n")
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                let verbs = ["SELECT ", "WITH ", "INSERT ", "UPDATE ", "DELETE "]
                if verbs.contains(where: text.hasPrefix) { queries.append((file.lastPathComponent, text)) }
            }
        }
        return queries
    }

    @Test("No query scans a table that grows with the documents")
    func scans() async throws {
        let queries = try Self.queries()
        #expect(queries.count > 200)
        try await withStore { store async throws in
            let plans = try await store.read { snapshot in
                let connection = try #require(snapshot as? SQLiteSnapshot).connection
                return try queries.flatMap { query in
                    var steps: [(query: String, step: String)] = []
                    try connection.each(query: "EXPLAIN QUERY PLAN \(query.text)") { row in
                        steps.append(("\(query.file): \(query.text)", row.text(3)))
                        return true
                    }
                    return steps
                }
            }
            #expect(plans.count > queries.count)
            for (query, step) in plans where step.hasPrefix("SCAN ") && !step.contains(Self.partialIndex) {
                let table = step.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                #expect(Self.small.contains(table) || Self.parts.contains(table), "\(step): \(query)")
            }
        }
    }
}
