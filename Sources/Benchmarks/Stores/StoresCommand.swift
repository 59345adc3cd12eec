import ArgumentParser
import Foundation
import PostgreSQLStorage
import SQLiteStorage
import Storage

/// `make bench BENCH="stores --postgres URL"`: the engines of the store, beside a plain pipelined insert of the same rows in the same run.
///
/// The processor time of the engines alone is that of this process, of the whole paths that of the bridge. PostgreSQL's own is in neither.
struct StoresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores", abstract: "Compare the engines of the store with a plain insert.")

    @Option(help: "Documents.")
    var documents = 100_000

    @Option(help: "The PostgreSQL: postgres://USER@HOST/DATABASE. Schemas of its own are created and have to be dropped by hand.")
    var postgres: String

    @Flag(help: "Measure only the whole paths.")
    var onlyPaths = false

    @OptionGroup var program: MeasuredProgram

    func run() async throws { try await program.run(run(in:)) }

    private func run(in folder: String) async throws {
        let rows = BenchmarkRows(count: documents)
        print("\(documents) documents of about 300 B in batches of 500; microseconds of processor time a document")
        let floor = try PlainPipeline.measure(rows, url: postgres)
        report("plain pipelined insert by libpq", floor)
        let schema = "bench_\(UUID().uuidString.prefix(8).lowercased())"
        print("The schemas are \(schema)…")
        if !onlyPaths {
            try await measure("PostgreSQL", PostgreSQLStore(url: postgres, schema: schema), rows)
            try await measure("SQLite", SQLiteStore(path: "\(folder)/engine.dualgauge"), rows)
        }
        let paths = EnginePaths(rows: rows, program: program.path, folder: folder, floor: floor)
        let known = try await paths.measure("SQLite") { "\(folder)/\($0).dualgauge" }
        let mark = postgres.contains("?") ? "&" : "?"
        _ = try await paths.measure("PostgreSQL", beside: known) { "\(postgres)\(mark)schema=\(schema)_\($0)" }
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
