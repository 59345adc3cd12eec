import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Rule 7: every checkpoint is a sighting")
struct FleetTests {
    private let phone = ClientKind(generation: 1, agent: "CouchbaseLite/1.4.4 (Android)")

    private func checkpoint(
        _ keyspace: Keyspace, _ kind: LocalDocumentKind, _ id: String, _ body: String, _ client: ClientKind, _ revision: String? = nil
    )
        async throws
    {
        _ = try await keyspace.setLocalDocument(kind, id: id, body: Array(body.utf8), expected: revision, by: client)
    }

    private func checkpointRecords(_ fixture: Fixture, since time: Int64 = 0) async throws -> [CheckpointRecord] {
        try await fixture.store.read { try $0.checkpointRecords(since: time, limit: 9) }
    }

    @Test("A sighting has the user, generation, version, keyspace and number of changes behind")
    func members() async throws {
        let fixture = try await Fixture { try $0.add("s.c") }
        for id in ["a", "b", "c"] { try await fixture.unified.push(id, "1-aa") }
        let alice = fixture.unified.seen(by: "alice")
        try await checkpoint(alice, .local, "pull", #"{"lastSequence":"1000000001"}"#, phone)
        try await checkpoint(alice, .local, "push", #"{"lastSequence":"17"}"#, phone)
        let collection = try fixture.collection("s.c").seen(by: "bob")
        try await checkpoint(
            collection, .checkpoint, "cp-x", #"{"remote":1000000000}"#, ClientKind(generation: 3, agent: "CouchbaseLite/3.2"))
        let found = Dictionary(uniqueKeysWithValues: try await checkpointRecords(fixture).map { ($0.id, $0) })
        #expect(found.count == 3)
        #expect(found["pull"]?.user == "alice" && found["pull"]?.agent == phone.agent)
        let fleetReport = try await fixture.database.fleetReport(FleetQuery(since: 0))
        let alices = try #require(fleetReport.clients.first { $0.user == "alice" })
        #expect(alices.changesBehind == 2 && alices.feeds.count == 2)
        let bobs = try #require(fleetReport.clients.first { $0.user == "bob" })
        #expect(bobs.generation == 3 && bobs.feeds.map(\.collection?.description) == ["s.c"])
        #expect(try await fixture.database.fleetReport(FleetQuery(since: 0, generation: 3)).clients.map(\.user) == ["bob"])
        #expect(fleetReport.days.map { "\($0.generation): \($0.clients)" } == ["1: 2", "3: 1"])
    }

    @Test("A client that writes again counts once a day, advances, and keeps its first date")
    func again() async throws {
        let fixture = try await Fixture()
        try await checkpoint(fixture.unified, .local, "p", "{}", phone)
        let first = try #require(try await checkpointRecords(fixture).first)
        try await checkpoint(fixture.unified, .local, "p", #"{"lastSequence":"1000000000"}"#, phone, "0-1")
        #expect(try await checkpointRecords(fixture).map(\.firstSeen) == [first.firstSeen])
        #expect(try await checkpointRecords(fixture).map(\.position) == [.newOrigin])
        #expect(try await fixture.database.fleetReport(FleetQuery(since: 0)).days.map(\.clients) == [1])
    }

    @Test("A later day has a count of its own, which shows a generation that disappears")
    func days() async throws {
        let fixture = try await Fixture()
        for (day, clients) in [(10, 3), (11, 1)] as [(Int64, Int)] {
            for client in 0..<clients {
                let checkpointRecord = CheckpointRecord(
                    kind: .local, scope: .unified, id: "c\(client)", user: "", generation: 1, agent: "", position: nil, firstSeen: 0,
                    lastSeen: day * CheckpointDay.length)
                try await fixture.store.write { try $0.note(checkpointRecord) }
            }
        }
        #expect(
            try await fixture.database.fleetReport(FleetQuery(since: 0)).days.map { [$0.day, Int64($0.clients)] } == [[10, 3], [11, 1]])
        #expect(try await checkpointRecords(fixture, since: 11 * CheckpointDay.length).map(\.id) == ["c0"])
    }

    @Test("A deleted checkpoint is no sighting, and neither is one without a user")
    func none() async throws {
        let fixture = try await Fixture()
        try await checkpoint(fixture.unified, .local, "p", "{}", phone)
        _ = try await fixture.unified.setLocalDocument(.local, id: "p", body: nil, expected: "0-1")
        _ = try await fixture.unified.setLocalDocument(.local, id: "q", body: Array("{}".utf8), expected: nil)
        #expect(try await checkpointRecords(fixture).isEmpty)
    }
}
