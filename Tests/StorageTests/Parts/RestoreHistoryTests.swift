import Foundation
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

    @Test(
        "The sequences after two restores of one backup are different ones, unless more than a thousand a second were assigned in between")
    func disjoint() {
        let first = Date(timeIntervalSince1970: 1_764_000_000)
        for seconds in [0.002, 1, 60, 86_400, 90_000] {
            let (one, two) = (StoreFence(after: 1_000_000_000, at: first), StoreFence(after: 1_000_000_000, at: first + seconds))
            #expect(one.lower == two.lower && one.upper != two.upper)
            #expect(two.upper < one.upper || two.upper - one.upper >= Int64(seconds * 1000) - 1)
        }
        for time in [0, -1, 1_764_000_000.999] {
            let fence = StoreFence(after: 1_000_000_000, at: Date(timeIntervalSince1970: time))
            #expect(50_000_000..<150_000_000 ~= fence.upper - fence.lower)
        }
    }
}
