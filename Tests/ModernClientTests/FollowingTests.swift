import Documents
import Gateway
import ModernTestSupport
import Testing

@testable import ModernClient

@Suite("A pull without a push, from a server whose winner changes between branches", .timeLimit(.minutes(2)))
struct FollowingTests {
    private let low = Requests.revision(2, 1)
    private let high = Requests.revision(2, 9)

    /// Writes a branch of the document on the server.
    private func branch(_ revision: String, _ first: RevisionID, by pair: ReplicationPair) async throws {
        let revision = try #require(RevisionID(revision))
        _ = try await pair.there.write(
            RevisionWrite(
                id: "doc", kind: .replicated(history: [revision, first], conflicts: .branch), isDeleted: false,
                body: Array("{\"is\":\"\(revision.digest)\"}".utf8)))
    }

    /// Every revision of the document.
    private func revisions(_ keyspace: Keyspace) async throws -> Set<RevisionID> {
        try await keyspace.read { snapshot in
            let tree = try snapshot.document("doc")?.tree
            return Set(tree?.leaves.flatMap { tree?.history(of: $0.id) ?? [] } ?? [])
        }
    }

    @Test(
        "An unedited document follows the server's winner, and has no revision that the server lacks", arguments: [false, true],
        [false, true])
    func unedited(knowsBoth: Bool, isReset: Bool) async throws {
        let pair = try await ReplicationPair()
        let first = try await pair.there.put("doc", "{}")
        try await branch(low, first, by: pair)
        if knowsBoth { try await pair.run(pair.configuration(.pull)) }
        try await branch(high, first, by: pair)
        try await pair.run(pair.configuration(.pull))
        // A revision that is the same on both sides is recognised when it is announced again.
        if isReset { try await pair.run(pair.configuration(.pull), reset: true) }
        #expect(try await pair.here.state() == pair.there.state())
        try await pair.there.put("doc", "{}", deleted: true)
        #expect(try await pair.there.state().first?.contains(low) == true)
        let (status, _) = try await pair.run(pair.configuration(.pull))
        #expect(status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
        #expect(try await revisions(pair.here).isSubset(of: revisions(pair.there)))
        // The document is still unedited.
        try await pair.there.put("doc", #"{"is":"newer"}"#)
        try await pair.run(pair.configuration(.pull))
        #expect(try await pair.here.state() == pair.there.state())
        #expect(try await revisions(pair.here).isSubset(of: revisions(pair.there)))
        #expect(try await pair.run(pair.configuration(.push)).documents == [])
    }

    @Test("An edited document conflicts with the branch that wins on the server", arguments: [false, true])
    func edited(knowsBoth: Bool) async throws {
        for (resolver, body) in [(ConflictResolver.localWins, #"{"is":"edited"}"#), (.remoteWins, "{\"is\":\"\(low.dropFirst(2))\"}")] {
            let pair = try await ReplicationPair()
            let first = try await pair.there.put("doc", "{}")
            try await branch(low, first, by: pair)
            if knowsBoth { try await pair.run(pair.configuration(.pull)) }
            try await branch(high, first, by: pair)
            try await pair.run(pair.configuration(.pull))
            try await pair.here.put("doc", #"{"is":"edited"}"#)
            try await pair.there.put("doc", "{}", deleted: true)
            try await pair.run(pair.configuration(.pull) { $0.conflictResolver = resolver })
            #expect(try await pair.here.state().first?.hasSuffix(body) == true)
            #expect(try await pair.here.read { try $0.document("doc")?.tree.isConflicted } == false)
        }
    }

    @Test("An edit before the pull stays an edit over further pulls")
    func editedBetween() async throws {
        let pair = try await ReplicationPair()
        let first = try await pair.there.put("doc", "{}")
        try await branch(low, first, by: pair)
        try await branch(high, first, by: pair)
        try await pair.run(pair.configuration(.pull))
        try await pair.here.put("doc", #"{"is":"edited"}"#)
        try await pair.there.put("other", "{}")
        try await pair.run(pair.configuration(.pull))
        try await pair.there.put("doc", "{}", deleted: true)
        try await pair.run(pair.configuration(.pull) { $0.conflictResolver = .localWins })
        #expect(try await pair.here.state().contains { $0.hasSuffix(#"{"is":"edited"}"#) })
    }
}
