import Foundation
import Testing

@testable import PostgreSQLStorage
@testable import Storage

/// A query that scans a table of documents delays all others, so PostgreSQL explains each query with the store's own tables.
@Suite("Queries of PostgreSQL search by an index")
struct PostgreSQLPlanTests {
    /// Tables with a limited number of rows, and tables of administrators' actions.
    private static let small: Set = [
        "collections", "cutover_steps", "fences", "migration_runs", "move_runs", "parked_revisions", "parked_surplus", "quarantine",
        "schema_versions", "store", "upstream", "upstream_losses", "upstream_sights", "visits", "writers",
    ]

    /// Queries that sort what they have found by an index: the rows of one document or user, a small collection, or a window of a feed.
    private static let sorting = [
        "coalesce(local_id, unified_id) AS id", "FROM departures WHERE document", "FROM sightings", "channels.key = channel",
        "FROM bodies WHERE document", "FROM principals WHERE email", "wanted(collection, channel) JOIN",
    ]

    /// The texts of all queries except those of copies, which read everything.
    private static func queries() throws -> [String] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/PostgreSQLStorage")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        let literal = try Regex(#""""\n((?s:.*?))"""|"((?:[^"\\\n]|\\.)*)""#)
        var queries: [String] = []
        for file in files where file.pathExtension == "swift" && !file.path.contains("/Copying/") {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: literal) {
                let text = [1, 2].compactMap { match.output[$0].substring }.joined().replacing("\\\n", with: "\n")
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                if ["SELECT ", "INSERT ", "UPDATE ", "DELETE "].contains(where: text.hasPrefix), !text.contains("pg_"),
                    !text.contains("\\("),
                    // Without values, the server does not know the type of such a parameter.
                    !text.contains("IS NULL OR")
                {
                    queries.append(text)
                }
            }
        }
        return queries
    }

    @Test("No query scans or sorts a table that grows with the documents")
    func scans() async throws {
        let queries = try Self.queries()
        #expect(queries.count > 200)
        let schema = try TemporarySchema()
        try await schema.open().close()
        let connection = try schema.connect()
        try connection.execute(script: "CREATE TABLE plans (query bigint, step text)")
        for (index, query) in queries.enumerated() {
            let count = query.matches(of: /\$(\d+)/).compactMap { Int($0.1) }.max() ?? 0
            let arguments = count == 0 ? "" : "(" + Array(repeating: "NULL", count: count).joined(separator: ",") + ")"
            try connection.execute(
                script: """
                    PREPARE q AS \(query);
                    DO $do$ DECLARE line text;
                    BEGIN
                        FOR line IN EXECUTE 'EXPLAIN EXECUTE q\(arguments)' LOOP INSERT INTO plans VALUES (\(index), line); END LOOP;
                    END $do$;
                    DEALLOCATE q
                    """)
        }
        let steps = try connection.all("SELECT query, step FROM plans") { (Int($0.integer(0)), $0.text(1)) }
        try connection.recover()
        #expect(steps.count > queries.count)
        for (index, step) in steps {
            if let table = step.firstMatch(of: /Seq Scan on (\w+)/)?.1 {
                #expect(Self.small.contains(String(table)), "\(step): \(queries[index])")
            }
            if step.contains(#/^ *(->  )?Sort  \(/#), !Self.small.contains(where: { queries[index].contains("FROM \($0)") }) {
                #expect(Self.sorting.contains { queries[index].contains($0) }, "\(step): \(queries[index])")
            }
        }
    }
}
