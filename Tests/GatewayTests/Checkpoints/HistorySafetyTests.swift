import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Pruning keeps the last revision that a client is known to have")
struct HistorySafetyTests {
    private let phone = ClientKind(generation: 1, agent: "phone")

    private func fixture(protectedDepth: Int = 1_000) async throws -> Fixture {
        try await Fixture {
            $0.limits.revisionDepth = 10
            $0.limits.protectedDepth = protectedDepth
        }
    }

    private func edit(_ fixture: Fixture, times: Int) async throws {
        for _ in 0..<times {
            let parent = try await fixture.unified.read { try $0.document("d")?.winner }
            _ = try await fixture.unified.edit("d", parent: parent?.text)
        }
    }

    private func see(_ fixture: Fixture, at position: SequenceNumber, daysAgo: Int64 = 0) async throws {
        let checkpointRecord = CheckpointRecord(
            kind: .local, scope: .unified, id: "p", user: "", generation: 1, agent: "", position: position, firstSeen: 0,
            lastSeen: Timestamp.now - daysAgo * CheckpointDay.length)
        try await fixture.store.write { try $0.note(checkpointRecord) }
    }

    @Test("A phone that was offline for a year finds its revision, and its edit becomes a branch of it")
    func yearOff() async throws {
        let fixture = try await fixture()
        try await edit(fixture, times: 5)
        let held = try await fixture.unified.record("d").winner
        try await see(fixture, at: try await fixture.unified.lastSequence(), daysAgo: 365)
        try await edit(fixture, times: 100)
        try await fixture.unified.push("d", "6-abc", held.text)
        let tree = try await fixture.unified.record("d").tree
        #expect(tree.parent(of: try revision("6-abc")) == held)
        // No client has the earlier ones.
        #expect(tree.count < 120)
        try await fixture.expectSound()
    }

    @Test("A document with a long history keeps at most the length that is kept for clients")
    func longArrival() async throws {
        let fixture = try await fixture(protectedDepth: 30)
        let history = try (1...50).reversed().map { try revision("\($0)-a") }
        _ = try await fixture.unified.write(
            RevisionWrite(id: "d", kind: .replicated(history: history, conflicts: .branch), isDeleted: false, body: Array("{}".utf8)))
        #expect(try await fixture.unified.record("d").tree.count == 30)
        try await fixture.expectSound()
    }

    @Test("The history is pruned as usual when the phone has caught up, or has expired", arguments: [true, false])
    func goneOn(comesUp: Bool) async throws {
        let fixture = try await fixture()
        try await edit(fixture, times: 5)
        try await see(fixture, at: try await fixture.unified.lastSequence(), daysAgo: comesUp ? 0 : 401)
        try await edit(fixture, times: 50)
        if comesUp {
            try await see(fixture, at: try await fixture.unified.lastSequence())
            try await edit(fixture, times: 2)
        }
        let count = try await fixture.unified.record("d").tree.count
        #expect(count <= 13)
    }

    @Test("The protected history has a limit")
    func bound() async throws {
        let fixture = try await fixture(protectedDepth: 30)
        try await edit(fixture, times: 5)
        try await see(fixture, at: try await fixture.unified.lastSequence())
        try await edit(fixture, times: 60)
        #expect(try await fixture.unified.record("d").tree.count == 30)
    }

    @Test("A client that has caught up in the middle releases its former revision and protects its present one")
    func middle() async throws {
        let fixture = try await fixture()
        try await edit(fixture, times: 5)
        try await see(fixture, at: try await fixture.unified.lastSequence())
        try await edit(fixture, times: 40)
        let held = try await fixture.unified.record("d").winner
        try await see(fixture, at: try await fixture.unified.lastSequence())
        try await edit(fixture, times: 40)
        let tree = try await fixture.unified.record("d").tree
        #expect(tree.contains(held))
        #expect(tree.count < 45)
    }
}
