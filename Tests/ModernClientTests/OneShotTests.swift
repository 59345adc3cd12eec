import Documents
import Gateway
import ModernTestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("A one-shot replication in both directions", .timeLimit(.minutes(2)))
struct OneShotTests {
    private func write(_ digest: Int, _ generation: Int, _ body: String, to keyspace: Keyspace) async throws {
        let history = try (1...generation).reversed().map { try #require(RevisionID(Requests.revision($0, digest))) }
        _ = try await keyspace.write(
            RevisionWrite(
                id: "doc", kind: .replicated(history: history, conflicts: .accept), isDeleted: false, body: Array(body.utf8)))
    }

    @Test("A conflict that is resolved during the push is pushed in the same run", arguments: [false, true])
    func resolved(isServersBetter: Bool) async throws {
        let pair = try await ReplicationPair()
        // The server's revision is here as well, as a losing branch, so the pull brings nothing.
        for keyspace in [pair.here, pair.there] { try await write(7, isServersBetter ? 2 : 1, #"{"is":"there"}"#, to: keyspace) }
        try await write(9, 3, #"{"is":"here"}"#, to: pair.here)
        let (status, documents) = try await pair.run(pair.configuration())
        #expect(status.error == nil && documents.contains(">doc") && !documents.contains { $0.contains(" ") }, "\(documents)")
        let state = try await pair.there.state()
        #expect(try await pair.here.state() == state)
        #expect(state.count == 1 && state[0].hasSuffix(#" {"is":"here"}"#))
        // Nothing is left for the next run.
        #expect(try await pair.run(pair.configuration()).documents == [])
        #expect(try await pair.here.state() == state)
    }

    @Test(
        "A first run that also pushes pulls earlier deletions, so that a later local document with the same ID continues them",
        arguments: [true, false])
    func deletedBefore(pushes: Bool) async throws {
        let pair = try await ReplicationPair()
        try await pair.there.put("doc", #"{"is":"there"}"#)
        try await pair.there.put("doc", "{}", deleted: true)
        #expect(try await pair.run(pair.configuration(pushes ? .pushAndPull : .pull)).documents == (pushes ? ["<doc!"] : []))
        guard pushes else { return }
        try await write(9, 1, #"{"is":"here"}"#, to: pair.here)
        #expect(try await pair.run(pair.configuration()).documents == [">doc"])
        let state = try await pair.there.state()
        #expect(try await pair.here.state() == state)
        #expect(state.count == 1 && state[0].hasSuffix(#" {"is":"here"}"#))
    }
}
