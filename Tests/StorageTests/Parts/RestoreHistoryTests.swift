import SQLiteStorage
import Storage
import Testing

@Suite("The restores of a store")
struct RestoreHistoryTests {
    private static let first: [Int64] = [100, 1]
    private static let second: [Int64] = [100, 2]
    private static let later: [Int64] = [150, 3]

    @Test(
        "Two stores share the sequences up to the first restore that only one of them has",
        arguments: [
            ([], [], nil), (first, first, nil), (first + later, first + later, nil),
            ([], first, 100), (first, [], 100), (first, second, 100), (first, first + later, 150), (first + later, first, 150),
            (first + later, second, 100), (later, first, 100),
        ] as [([Int64], [Int64], Int64?)])
    func shared(ours: [Int64], theirs: [Int64], expected: Int64?) {
        #expect(RestoreHistory(numbers: ours).shared(with: RestoreHistory(numbers: theirs))?.value == expected)
        #expect(RestoreHistory(numbers: ours).numbers == ours)
    }

    @Test(
        "Incomplete lists are read without their last number",
        arguments: [([], []), ([5], []), ([5, 6, 7], [5, 6])] as [([Int64], [Int64])])
    func incomplete(numbers: [Int64], expected: [Int64]) {
        #expect(RestoreHistory(numbers: numbers).numbers == expected)
    }

    @Test("A store lists its restores in their order", arguments: StorageEngine.all)
    func stored(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            #expect(try await store.read { try $0.restores() }.isEmpty)
            let end = try await store.read { try $0.lastSequence }
            let fence = try await store.raiseFence()
            try await store.raiseFence()
            let restores = try await store.read { try $0.restores() }
            #expect(restores.numbers.count == 4)
            #expect(restores.numbers[0] == end.value && restores.numbers[2] == fence.value)
        }
    }
}
