import ArgumentParser
import Foundation
import PostgreSQLStorage
import SQLiteStorage
import Storage

/// `make bench BENCH="stores --postgres URL"`: the engines of the store, beside a plain pipelined insert of the same rows in the same run.
///
/// The processor time is that of this process, without the server's.
struct StoresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores", abstract: "Compare the engines of the store with a plain insert.")

    @Option(help: "Documents.")
    var documents = 100_000

    @Option(help: "The PostgreSQL: postgres://USER@HOST/DATABASE. A schema of its own is created and has to be dropped by hand.")
    var postgres: String

    func run() async throws {
        let rows = BenchmarkRows(count: documents)
        print("\(documents) documents of about 300 B in batches of 500; microseconds of processor time a document")
        report("plain pipelined insert by libpq", try PlainPipeline.measure(rows, url: postgres))
        let schema = "bench_\(UUID().uuidString.prefix(8).lowercased())"
        print("The schema is \(schema).")
        try await measure("PostgreSQL", PostgreSQLStore(url: postgres, schema: schema), rows)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-bench-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await measure("SQLite", SQLiteStore(path: folder), rows)
    }

    private func measure(_ name: String, _ store: any Store, _ rows: BenchmarkRows) async throws {
        let load = StoreLoad(store: store, rows: rows)
        for lookup in StoreLoad.Lookup.allCases {
            report("\(name): \(lookup.rawValue)", try await load.write(prefix: lookup.rawValue, lookup))
        }
        report("\(name): the feed, three times the documents", try await load.readFeed())
        report("\(name): documents with bodies", try await load.readDocuments(prefix: StoreLoad.Lookup.none.rawValue))
        try await store.close()
    }

    private func report(_ name: String, _ cost: Cost) {
        print(
            name.padding(toLength: 42, withPad: " ", startingAt: 0), String(format: "%7.2f us", cost.microseconds),
            String(format: "%9.0f/s wall", cost.rate))
    }
}
