import LegacyTestSupport
import Testing

@testable import LegacyClient

/// The responses are those of Sync Gateway 2.8.4 and 3.2.8.
@Suite("The channels of a login at a Sync Gateway")
struct ReaderScopeTests {
    @Test(
        "The scope is the login's own channels: the channel `*` by a role is not included, and does not show documents without channels",
        arguments: [([], ["!"]), (["a", "b"], ["!", "a", "b"]), (["*"], nil)] as [([String], [String]?)])
    func channels(own: [String], seen: [String]?) async throws {
        let there = try await RemoteServer(serverName: "Couchbase Sync Gateway/2.8.4")
        there.misbehave { entry, _ in
            switch entry.name {
            case "GET _session":
                let list = (["!"] + own).map { "\"\($0)\":7" }.joined(separator: ",")
                return .answer(200, #"{"ok":true,"userCtx":{"channels":{\#(list)},"name":"anna"}}"#, [:])
            case "GET _changes", "POST _changes":
                let row = #"{"seq":"6:1","id":"none","changes":[{"rev":"1-47b3"}]}"#
                return .answer(200, #"{"results":[\#(row)],"last_seq":"6"}"#, [:])
            case "POST _bulk_get":
                return .answer(200, #"{"results":[]}"#, [:])
            case let name where name.hasSuffix("none"):
                let removed = #"{"_id":"none","_rev":"1-47b3","_removed":true,"_revisions":{"ids":["47b3"],"start":1}}"#
                return .answer(200, #"[{"ok":\#(removed)}]"#, [:])
            default: return nil
            }
        }
        let reader = try LegacyReader(remoteURL: there.url, settings: ReplicationSettings())
        #expect(try await reader.channels() == seen)
        let found = try await reader.leaves(of: try await reader.changes(since: nil, limit: 10))
        #expect(found.map(\.unseen) == [["1-47b3"]] && found.allSatisfy { $0.leaves.isEmpty && $0.fault == nil })
        await reader.close()
        await there.close()
    }
}
