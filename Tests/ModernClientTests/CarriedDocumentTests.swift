import Documents
import Gateway
import ModernTestSupport
import Testing

@testable import ModernClient

/// A document at a 2.x+ server while the bridge carries the winner onto the branch of an old server without branches.
@Suite("A document that was carried onto another server's branch", .timeLimit(.minutes(2)))
struct CarriedDocumentTests {
    private struct World {
        let pair: ReplicationPair
        let winner: RevisionID
        let line: RevisionID

        /// A document on both sides, with another branch here that an old server has.
        init() async throws {
            pair = try await ReplicationPair()
            line = try await pair.here.put("doc", #"{"is":"old"}"#)
            let history = [try #require(RevisionID(Requests.revision(2, 7))), try #require(RevisionID(Requests.revision(1, 7)))]
            winner = history[0]
            for keyspace in [pair.there, pair.here] {
                _ = try await keyspace.write(
                    RevisionWrite(
                        id: "doc", kind: .replicated(history: history, conflicts: .accept), isDeleted: false,
                        body: Array(#"{"is":"new"}"#.utf8)))
            }
            try await replicate()
        }

        /// Replicates once in both directions. Without a resolver, a conflict is a failure.
        func replicate(reset: Bool = false, _ resolver: ConflictResolver = .unasked) async throws {
            let configuration = pair.configuration { $0.conflictResolver = resolver }
            #expect(try await pair.run(configuration, reset: reset).status.error == nil)
        }

        func carry() async throws -> RevisionID {
            try #require(try await pair.here.carry(winner, onto: line, of: "doc"))
        }

        func tree(_ keyspace: Keyspace) async throws -> RevisionTree {
            try #require(try await keyspace.read { try $0.document("doc")?.tree })
        }

        func edit(_ keyspace: Keyspace, on parent: RevisionID, _ body: String, deleted: Bool = false) async throws -> RevisionID {
            try await keyspace.write(
                RevisionWrite(id: "doc", kind: .edit(parent: parent), isDeleted: deleted, body: Array(body.utf8))
            ).revision
        }

        /// The visible state of a side. The ID of a tombstone is left out.
        private func state(of keyspace: Keyspace) async throws -> [String] {
            try await keyspace.state().map { $0.hasPrefix("!") ? "!" : $0 }
        }

        /// Replicates until nothing changes, and returns the state of both sides.
        func finalState() async throws -> [String] {
            for _ in 0..<3 { try await replicate() }
            let state = try await state(of: pair.here)
            for isReset in [false, true] {
                #expect(try await self.state(of: pair.there) == state)
                let before = try await pair.here.state()
                try await replicate(reset: isReset)
                #expect(try await pair.here.state() == before)
            }
            #expect(try await self.state(of: pair.there) == state)
            return state
        }
    }

    @Test("The 2.x+ server gets the copy as a child of its own revision, in one run, and no tombstone")
    func sentAsChild() async throws {
        let world = try await World()
        let copy = try await world.carry()
        try await world.replicate()
        let there = try await world.tree(world.pair.there)
        #expect(there.winner?.id == copy && there.parent(of: copy) == world.winner && there.leafCount == 1)
        #expect(try await world.finalState() == ["doc@\(copy) {\"is\":\"new\"}"])
    }

    @Test("An edit at the 2.x+ server in the meantime is an edit of the copy: it wins without a conflict", arguments: [false, true])
    func editedThere(isDeletion: Bool) async throws {
        let world = try await World()
        let copy = try await world.carry()
        let edit = try await world.edit(world.pair.there, on: world.winner, #"{"is":"edited"}"#, deleted: isDeletion)
        // The copy has the same generation and may have the higher digest, which must not matter.
        #expect(edit.generation == copy.generation)
        try await world.replicate()
        let here = try await world.tree(world.pair.here)
        #expect(here.winner?.isDeleted == isDeletion && here.leaves.allSatisfy { $0.isDeleted || $0.id == edit })
        let state = try await world.finalState()
        #expect(state == [isDeletion ? "!" : "doc@\(edit) {\"is\":\"edited\"}"])
    }

    @Test("If the copy was edited here as well, the conflict goes to the resolver")
    func editedHereAndThere() async throws {
        let world = try await World()
        let copy = try await world.carry()
        _ = try await world.edit(world.pair.here, on: copy, #"{"is":"here"}"#)
        _ = try await world.edit(world.pair.there, on: world.winner, #"{"is":"there"}"#)
        try await world.replicate(ConflictResolver { _ in .merged(Array(#"{"is":"both"}"#.utf8)) })
        #expect(try await world.finalState().map { $0.split(separator: " ").last } == [#"{"is":"both"}"#])
    }

    @Test("A later edit here is pushed", arguments: [false, true])
    func editedHere(isToldBefore: Bool) async throws {
        let world = try await World()
        let copy = try await world.carry()
        if isToldBefore { try await world.replicate() }
        let edit = try await world.edit(world.pair.here, on: copy, #"{"is":"edited"}"#)
        #expect(try await world.finalState() == ["doc@\(edit) {\"is\":\"edited\"}"])
    }

    @Test("A branch of a lower generation that an app has chosen is written again, above the server's")
    func low() async throws {
        let world = try await World()
        // An app closes the winner here, so that the other branch, of generation 1, wins.
        _ = try await world.edit(world.pair.here, on: world.winner, "{}", deleted: true)
        try await world.replicate()
        let (here, there) = (try await world.tree(world.pair.here), try await world.tree(world.pair.there))
        let winner = try #require(there.winner)
        #expect(winner.id.generation == 3 && !winner.isDeleted && here.winner?.id == winner.id)
        #expect(here.originals(of: winner.id) == [world.line] && there.isAncestor(world.winner, of: winner.id))
        #expect(try await world.finalState() == ["doc@\(winner.id) {\"is\":\"old\"}"])
    }

    @Test("A push alone sends the copy, too")
    func pushAlone() async throws {
        let world = try await World()
        let copy = try await world.carry()
        #expect(try await world.pair.run(world.pair.configuration(.push)).status.error == nil)
        #expect(try await world.tree(world.pair.there).winner?.id == copy)
    }

    @Test("A pull alone that brings the original again changes nothing")
    func pullAlone() async throws {
        let world = try await World()
        let copy = try await world.carry()
        for _ in 0..<2 {
            let configuration = world.pair.configuration(.pull) { $0.conflictResolver = .unasked }
            #expect(try await world.pair.run(configuration, reset: true).status.error == nil)
            #expect(try await world.tree(world.pair.here).winner?.id == copy)
        }
    }
}

extension ConflictResolver {
    /// A resolver for tests without conflicts.
    fileprivate static let unasked = ConflictResolver { conflict in
        Issue.record("a conflict of \(conflict.documentID): \(conflict.local.revision) and \(conflict.remote.revision)")
        return .local
    }
}
