import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Steps of a cutover in the store")
struct CutoverStepTests {
    private func step(_ number: Int) -> CutoverStepRecord {
        CutoverStepRecord(
            time: Int64(number) * 1_000, from: "shadow", to: "dual", outcome: number == 2 ? "refused" : "taken", isForced: number == 3,
            reason: number == 3 ? "the old server is down" : "", gates: #"[{"name":"lag"}]"#)
    }

    @Test("Steps are numbered, and read from the last to the first", arguments: StorageEngine.all)
    func audit(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            #expect(try await store.read { try $0.cutoverSteps(limit: 10) }.isEmpty)
            for number in 1...3 {
                let step = step(number)
                let added = try await store.write { try $0.add(step) }
                #expect(added.number == Int64(number))
            }
            let found = try await store.read { try $0.cutoverSteps(limit: 2) }
            #expect(found.map(\.number) == [3, 2])
            var expected = step(3)
            expected.number = 3
            #expect(found.first == expected)
            #expect(try await store.read { try $0.cutoverSteps(limit: 10) }.count == 3)
        }
    }
}
