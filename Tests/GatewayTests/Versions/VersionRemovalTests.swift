import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Versions of documents that leave a reader's channels")
struct VersionRemovalTests {
    @Test("A tombstone has a version of its own, so that clients accept it; a document that only leaves needs none")
    func tombstone() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        for id in ["deleted", "left"] { try await fixture.unified.put(id, channels: ["a"]) }
        let first = try await anna.changes(ChangesQuery())
        let before = try await anna.versions(of: first.rows).compactMap { $0 }
        #expect(before.count == 2)
        try await fixture.unified.put("deleted", channels: nil)
        try await fixture.unified.put("left", channels: ["x"])
        var query = ChangesQuery()
        query.since = first.position
        query.includesRevocations = true
        let rows = try await anna.changes(query).rows
        #expect(rows.map(\.id) == ["deleted", "left"] && rows.allSatisfy(\.isRemoval) && rows.map(\.isDeleted) == [true, false])
        let after = try await anna.versions(of: rows).compactMap { $0 }
        #expect(after.count == 2 && after[0].order(to: before[0]) == .newer)
        #expect(after[1] == before[1], "it reveals nothing of later changes")
    }
}
