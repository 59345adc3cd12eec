import Foundation
import Testing

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage
@testable import StoreCopy

/// Small batches, so that a copy has many.
func smallOptions(keeps: Bool = false) -> StoreCopier.Options {
    var options = StoreCopier.Options()
    options.limit.rows = 3
    options.keepsSource = keeps
    return options
}

/// The differences of a store and its copy.
func differences(_ source: CopyPlaceForTests, _ target: CopyPlaceForTests) throws -> [RowDifference] {
    try StoreComparison(source.source(), target.target()).run().differences
}

@Suite("Copies between engines")
struct CopyEnginesTests {
    @Test("All rows of all tables are taken along byte for byte, and the source is marked", arguments: CopyEngine.pairs)
    func everything(source: CopyEngine, target: CopyEngine) async throws {
        let (first, second) = (try CopyPlaceForTests(source), try CopyPlaceForTests(target))
        let count = try await first.fill()
        let summary = try StoreCopier(first.source(), second.target(), smallOptions()).run()
        #expect(summary.rows == count)
        #expect(try differences(first, second).isEmpty)
        #expect(try first.source().moved()?.target == second.target().place)
        #expect(try first.source().outgoing() == nil)
        // The copy has no marks, and is a store.
        let copied = try second.source()
        #expect(try copied.moved() == nil)
        #expect(try copied.outgoing() == nil)
    }

    @Test("A store goes to the other engine and back without a change of any row", arguments: CopyEngine.allCases)
    func roundTrip(engine: CopyEngine) async throws {
        let places = try [engine, engine == .sqlite ? .postgreSQL : .sqlite, engine].map { try CopyPlaceForTests($0) }
        try await places[0].fill(seed: 7, count: 20)
        _ = try StoreCopier(places[0].source(), places[1].target()).run()
        _ = try StoreCopier(places[1].source(), places[2].target()).run()
        #expect(try differences(places[0], places[2]).isEmpty)
    }
}
