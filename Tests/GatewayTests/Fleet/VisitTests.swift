import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Visits in the store")
struct VisitTests {
    private static let phone = ClientKind(generation: 1, agent: "CouchbaseLite/1.4.4 (Android)")

    private func visit(_ user: String, _ agent: String = phone.agent, from address: String = "10.0.0.1", at time: Int64) -> Visit {
        Visit(user: user, generation: 1, agent: agent, address: address, firstSeen: time, lastSeen: time)
    }

    private func groups(_ fixture: Fixture, since time: Int64 = 0) async throws -> [VisitGroup] {
        try await fixture.store.read { try $0.visitGroups(since: time, generation: nil, limit: 100) }
    }

    @Test("The first date is kept, addresses are counted, and the last one is stored")
    func rows() async throws {
        let fixture = try await Fixture()
        try await fixture.store.write { transaction in
            try transaction.note([visit("anna", at: 1_000), visit("anna", from: "10.0.0.2", at: 3_000)])
            try transaction.note([visit("anna", at: 2_000), visit("bob", at: 5)])
        }
        let found = try await groups(fixture)
        #expect(found.map(\.user) == ["anna", "bob"])
        let anna = try #require(found.first)
        #expect(anna.addresses == 2 && anna.lastAddress == "10.0.0.2" && anna.firstSeen == 1_000 && anna.lastSeen == 3_000)
        #expect(try await groups(fixture, since: 6).map(\.user) == ["anna"])
    }

    @Test("A user with ever new names displaces only the user's own oldest rows, and old rows are removed")
    func bounds() async throws {
        let fixture = try await Fixture()
        let lifetime = 400 * CheckpointDay.length
        try await fixture.store.write { transaction in
            try transaction.note([visit("anna", at: lifetime), visit("bob", at: 1)])
            try transaction.note((0..<1_200).map { visit("", "scan/\($0)", at: lifetime + 10 + Int64($0)) })
        }
        let all = try await fixture.store.read { try $0.visitGroups(since: 0, generation: 1, limit: 10_000) }
        let guests = all.filter(\.user.isEmpty)
        #expect(guests.count == 1_000 && guests.map(\.lastSeen).min() == lifetime + 210)
        #expect(all.filter { !$0.user.isEmpty }.map(\.user) == ["anna"])
    }

    @Test("A client with a checkpoint and requests counts once, and one with an open feed alone counts, too")
    func counted() async throws {
        let fixture = try await Fixture()
        let now = Timestamp.now
        let checkpointRecord = CheckpointRecord(
            kind: .local, scope: .unified, id: "p", user: "anna", generation: 1, agent: Self.phone.agent, position: nil, firstSeen: now,
            lastSeen: now)
        try await fixture.store.write { try $0.note(checkpointRecord) }
        let visits = fixture.database.visits
        #expect(try await visits.clientCount(ofGeneration: 1, since: now) == 1)
        visits.note(Visitor(user: "anna", client: Self.phone, address: "10.0.0.1"))
        #expect(try await visits.clientCount(ofGeneration: 1, since: now) == 1)
        var feed: OpenVisit? = visits.open(Visitor(user: "bob", client: Self.phone, address: nil))
        #expect(try await visits.clientCount(ofGeneration: 1, since: now) == 2)
        #expect(try await visits.clientCount(ofGeneration: 1, since: .max) == 1 && feed != nil)
        let client = try #require(try await fixture.database.fleetReport(FleetQuery(since: 0)).clients.first { $0.user == "bob" })
        #expect(client.openFeeds == 1 && client.addresses == 1 && client.devices == 1 && client.checkpoints == 0)
        feed = nil
        #expect(try await visits.clientCount(ofGeneration: 1, since: .max) == 0 && visits.openFeeds == 0)
    }
}
