import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("The census of the fleet")
struct CensusTests {
    private static let android = "CouchbaseLite/1.4.1 (Android)"
    private static let java = "CouchbaseLite/3.2.1 (Java; Android 14)"

    private func see(
        _ fixture: Fixture, _ id: String, user: String = "", generation: Int = 1, agent: String = android, kind: LocalDocumentKind = .local,
        scope: FeedScope = .unified, position: Int64? = nil, at time: Int64 = 1_000
    ) async throws {
        let checkpointRecord = CheckpointRecord(
            kind: kind, scope: scope, id: id, user: user, generation: generation, agent: agent,
            position: position.map { SequenceNumber(SequenceNumber.newOrigin.value + $0) }, firstSeen: time, lastSeen: time)
        try await fixture.store.write { try $0.note(checkpointRecord) }
    }

    @Test("Push, pull and collections of one user and software are one client, and a second device counts")
    func grouping() async throws {
        let fixture = try await Fixture { try $0.add("s.c") }
        let collections = try await fixture.store.read { try $0.collections() }
        let collection = FeedScope.collection(try #require(collections.first { $0.name == "c" }).key)
        try await see(fixture, "alice-pull", user: "alice", position: 0)
        try await see(fixture, "alice-push", user: "alice")
        try await see(fixture, "alice-pull-2", user: "alice", position: 0, at: 2_000)
        for (scope, id) in [(FeedScope.unified, "u"), (collection, "c")] {
            try await see(
                fixture, "alice-\(id)", user: "alice", generation: 3, agent: Self.java, kind: .checkpoint, scope: scope, position: 0,
                at: 500)
        }
        let fleetReport = try await fixture.database.fleetReport(FleetQuery(since: 0))
        #expect(fleetReport.clients.map(\.generation) == [1, 3])
        #expect(fleetReport.clients.map(\.devices) == [2, 1])
        #expect(fleetReport.clients.map(\.checkpoints) == [3, 2])
        #expect(fleetReport.clients.first?.lastSeen == 2_000 && fleetReport.clients.first?.firstSeen == 1_000)
        #expect(fleetReport.clients.first?.feeds.map(\.reads).sorted { $0 && !$1 } == [true, false])
        #expect(Set(fleetReport.clients.last?.feeds.map { $0.collection?.description ?? "unified" } ?? []) == ["unified", "s.c"])
        #expect(fleetReport.generations.map { [$0.generation, $0.clients, $0.devices, $0.checkpoints] } == [[1, 1, 2, 3], [3, 1, 1, 2]])
        #expect(fleetReport.clientCount == 2 && fleetReport.isComplete)
        #expect(
            fleetReport.clients.map(\.software.description) == [
                "Couchbase Lite 1.4.1 (Android)", "Couchbase Lite 3.2.1 (Java, Android 14)",
            ])
    }

    @Test("A client's lag is that of its feed that is furthest behind, and a push has none")
    func behind() async throws {
        let fixture = try await Fixture { try $0.add("s.c") }
        for id in ["a", "b", "c", "d"] { try await fixture.unified.push(id, "1-aa") }
        for (id, position) in [("zero", 0), ("two", 2), ("four", 4), ("future", 9)] {
            try await see(fixture, id, user: id, position: Int64(position))
        }
        try await see(fixture, "push", user: "push")
        try await see(fixture, "two-again", user: "both", position: 2)
        try await see(fixture, "four-again", user: "both", position: 4)
        let fleetReport = try await fixture.database.fleetReport(FleetQuery(since: 0))
        let behind = Dictionary(uniqueKeysWithValues: fleetReport.clients.map { ($0.user, $0.changesBehind) })
        #expect(behind == ["zero": 4, "two": 2, "four": 0, "future": 0, "push": nil, "both": 2])
    }

    @Test("At most the requested number is counted")
    func distanceLimit() async throws {
        let fixture = try await Fixture()
        for id in ["a", "b", "c", "d"] { try await fixture.unified.push(id, "1-aa") }
        for position in [0, 1, 3] { try await see(fixture, "\(position)", user: "\(position)", position: Int64(position)) }
        let behind = try await fixture.store.read { snapshot in
            let groups = try snapshot.checkpointGroups(since: 0, generation: nil, limit: 10)
            let distances = try FeedDistances(groups, limit: 2, in: snapshot)
            return groups.map { distances[$0] }
        }
        #expect(behind == [2, 2, 1])
    }

    @Test("Pages are ordered by the last date, and counts by generation and time are complete")
    func pages() async throws {
        let fixture = try await Fixture()
        for number in 0..<5 {
            try await see(
                fixture, "c\(number)", user: "u\(number)", generation: number == 4 ? 2 : 1, at: Int64(number) * CheckpointDay.length)
        }
        func users(_ query: FleetQuery) async throws -> [String] { try await fixture.database.fleetReport(query).clients.map(\.user) }
        var query = FleetQuery(since: 0)
        query.limit = 2
        #expect(try await users(query) == ["u4", "u3"])
        query.skip = 3
        #expect(try await users(query) == ["u1", "u0"])
        #expect(try await fixture.database.fleetReport(query).clientCount == 5)
        query.skip = 99
        #expect(try await users(query).isEmpty)
        let old = try await fixture.database.fleetReport(FleetQuery(since: 3 * CheckpointDay.length, generation: 1))
        #expect(old.clients.map(\.user) == ["u3"])
        #expect(old.days.map(\.day) == [3])
    }

    @Test("Names that differ only in their bytes are two clients")
    func names() async throws {
        let fixture = try await Fixture()
        try await see(fixture, "a", user: "caf\u{e9}")
        try await see(fixture, "b", user: "cafe\u{301}")
        #expect(try await fixture.database.fleetReport(FleetQuery(since: 0)).clientCount == 2)
    }
}
