import SQLiteStorage
import Storage
import Testing

@Suite("Parked revisions")
struct ParkingTests {
    private func parked(_ id: String, _ revision: String = "1-aa", of replication: String = "r", time: Int64 = 1) -> ParkedRevision {
        ParkedRevision(
            replication: replication, direction: .push, collection: "", id: id, revision: revision, domain: "CBLHTTP", code: 403,
            reason: "no", time: time)
    }

    @Test("A revision that is refused again is counted, with the last reason and the first date", arguments: StorageEngine.all)
    func again(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            var again = parked("a", time: 5)
            again.reason = "still no"
            again.code = 413
            let second = again
            let first = parked("a")
            try await store.write { try $0.park([first]) }
            try await store.write { try $0.park([second]) }
            let found = try await store.read { try $0.parked(.all, by: .firstRefused, skip: 0, limit: 10) }
            #expect(found.count == 1)
            #expect(found.first.map { [$0.firstSeen, $0.lastSeen, Int64($0.attempts), Int64($0.code)] } == [1, 5, 2, 413])
            #expect(found.first?.reason == "still no")
            let key = try #require(found.first?.key)
            try await store.write { try $0.releaseParked(key) }
            #expect(try await store.read { try $0.parked(key) } == nil)
            #expect(try await store.read { try $0.parkedCount() } == 0)
        }
    }

    @Test("Revisions are listed by page, replication, document and the time of the last try", arguments: StorageEngine.all)
    func listing(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let all = [parked("a", time: 3), parked("b", time: 1), parked("a", "1-bb", time: 2), parked("c", of: "other", time: 4)]
            try await store.write { try $0.park(all) }
            func ids(_ selection: ParkedSelection = .all, by order: ParkedOrder = .firstRefused, skip: Int = 0, limit: Int = 10)
                async throws -> [String]
            {
                try await store.read { try $0.parked(selection, by: order, skip: skip, limit: limit).map { $0.id + $0.revision } }
            }
            #expect(try await ids() == ["a1-aa", "b1-aa", "a1-bb", "c1-aa"])
            #expect(try await ids(skip: 1, limit: 2) == ["b1-aa", "a1-bb"])
            #expect(try await ids(by: .longestUntried) == ["b1-aa", "a1-bb", "a1-aa", "c1-aa"])
            #expect(try await ids(ParkedSelection(replication: "other")) == ["c1-aa"])
            #expect(try await ids(ParkedSelection(id: "a")) == ["a1-aa", "a1-bb"])
            #expect(try await ids(ParkedSelection(direction: .pull)) == [])
            #expect(try await store.read { try $0.parked(of: "r", .push, collection: "", id: "a").count } == 2)
            #expect(try await store.write { try $0.forgetParked(ParkedSelection(replication: "r", id: "a")) } == 2)
            #expect(try await store.write { try $0.forgetParked(.all) } == 2)
        }
    }

    @Test(
        "A forgotten push is not listed, and is still known as refused, until it is accepted or refused again", arguments: StorageEngine.all
    )
    func forgotten(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            var pull = parked("p")
            pull.direction = .pull
            let all = [parked("a"), parked("b"), pull]
            try await store.write { try $0.park(all) }
            #expect(try await store.write { try $0.forgetParked(.all) } == 3)
            #expect(try await store.write { try $0.forgetParked(.all) } == 0)
            func refused() async throws -> [String] {
                var selection = ParkedSelection(replication: "r")
                selection.includesForgotten = true
                return try await store.read { [selection] in try $0.parked(selection, by: .firstRefused, skip: 0, limit: .max).map(\.id) }
            }
            #expect(try await store.read { try $0.parkedCount() } == 0)
            #expect(try await store.read { try $0.parked(.all, by: .firstRefused, skip: 0, limit: 9) } == [])
            #expect(try await refused() == ["a", "b"])
            let forgotten = try #require(try await store.read { try $0.parked(of: "r", .push, collection: "", id: "a") }.first)
            #expect(try await store.read { try $0.parked(forgotten.key) } == nil)
            let again = parked("a", time: 7)
            try await store.write { try $0.park([again]) }
            #expect(try await store.read { try $0.parked(.all, by: .firstRefused, skip: 0, limit: 9).map(\.attempts) } == [2])
            let flood = (0..<ParkedRevision.maximumCount).map { parked("d\($0)") }
            try await store.write { try $0.park(flood) }
            #expect(try await store.read { try $0.parkedCount() } == ParkedRevision.maximumCount + 1)
            #expect(try await refused().contains("b") == false)
        }
    }

    @Test("The list has a limit, beyond which revisions are only counted", arguments: StorageEngine.all)
    func flood(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let all = (0..<ParkedRevision.maximumCount + 7).map { parked("d\($0)") }
            try await store.write { try $0.park(all) }
            let longID = parked(String(repeating: "x", count: ParkedRevision.maximumIDLength + 1))
            try await store.write { try $0.park([longID]) }
            func kept() async throws -> Int {
                try await store.read { try $0.parked(.all, by: .firstRefused, skip: 0, limit: .max).count }
            }
            #expect(try await kept() == ParkedRevision.maximumCount)
            #expect(try await store.read { try $0.parkedCount() } == ParkedRevision.maximumCount + 8)
            #expect(try await store.read { try $0.parkedCount(ParkedSelection(replication: "other")) } == 0)
            // Revisions on the list are still counted there.
            let again = parked("d3", time: 9)
            try await store.write { try $0.park([again]) }
            #expect(try await store.read { try $0.parkedCount() } == ParkedRevision.maximumCount + 8)
            try await store.write { try $0.forgetParkedSurplus(ParkedSelection(replication: "other")) }
            #expect(try await store.read { try $0.parkedCount() } == ParkedRevision.maximumCount + 8)
            try await store.write { try $0.forgetParkedSurplus(ParkedSelection(replication: "r")) }
            #expect(try await store.read { try $0.parkedCount() } == ParkedRevision.maximumCount)
        }
    }
}
