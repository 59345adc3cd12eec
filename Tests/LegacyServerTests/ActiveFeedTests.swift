import Gateway
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Feeds with active_only in several batches")
struct ActiveFeedTests {
    @Test("A feed with active_only sends a tombstone only for documents that the client may have received", arguments: [false, true])
    func deletedMeanwhile(staysOpen: Bool) async throws {
        let bridge = try await Bridge()
        try await bridge.push(
            #"{"_id":"gone","_rev":"1-x","_deleted":true}"#, #"{"_id":"a","_rev":"1-x"}"#, #"{"_id":"b","_rev":"1-x"}"#,
            #"{"_id":"c","_rev":"1-x"}"#)
        var options = ChangesOptions()
        options.activeOnly = true
        var limits = LegacyLimits()
        limits.changesBatch = 2
        let keyspace = bridge.database.unified
        var cursor = ChangesCursor(options, since: .zero, following: staysOpen ? keyspace.follow() : nil, limits: limits)
        var told: [String] = []
        for turn in 0..<10 where !cursor.isCaughtUp {
            told += try await cursor.next(from: keyspace).map { $0.isDeleted ? "\($0.id) deleted" : $0.id }
            if turn == 0 {
                #expect(told == ["a"])
                try await bridge.push(#"{"_id":"a","_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]},"_deleted":true}"#)
            }
        }
        #expect(told == ["a", "b", "c", "a deleted"])
    }
}
