import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("Reading of a 1.x server's database")
struct LegacyReaderTests {
    @Test("A document in conflict is one change, also where a bridge splits its leaves into two rows", arguments: [2, 100])
    func conflicts(limit: Int) async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.there.bridge.push(
            #"{"_id":"a","_rev":"1-x"}"#, #"{"_id":"b","_rev":"1-x"}"#, #"{"_id":"b","_rev":"1-y"}"#, #"{"_id":"b","_rev":"1-z"}"#,
            #"{"_id":"c","_rev":"1-x"}"#)
        let reader = try LegacyReader(remoteURL: fixture.there.url, settings: ReplicationSettings())
        _ = try await reader.describe()
        var changes: [LegacyChange] = []
        while case let more = try await reader.changes(since: changes.last?.sequence, limit: limit), !more.isEmpty { changes += more }
        #expect(changes.map(\.id) == ["a", "b", "c"])
        #expect(changes.map(\.revisions.count) == [1, 3, 1])
        #expect(try await reader.leaves(of: changes).map(\.leaves.count) == [1, 3, 1])
        await reader.close()
        await fixture.there.close()
    }
}
