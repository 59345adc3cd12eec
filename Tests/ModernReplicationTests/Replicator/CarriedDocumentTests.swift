import Documents
import Gateway
import Testing

@testable import ModernClient

/// What becomes of documents at a 2.x+ server while the bridge puts what wins onto the line of an old server without branches.
@Suite("A document that was put onto another server's line", .timeLimit(.minutes(2)))
struct CarriedDocumentTests {
    private struct World {
        let pair: ReplicationPair
        let winner: RevisionID
        let line: RevisionID

        /// A document that both sides have, with another branch here, which an old server has.
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

        /// Once in both directions; what a resolver is asked is a mistake where none is given.
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

        /// What a side shows. By which tombstone a document is deleted is of no concern.
        private func sight(_ keyspace: Keyspace) async throws -> [String] {
            try await keyspace.state().map { $0.hasPrefix("!") ? "!" : $0 }
        }

        /// Replicates until nothing changes any more, and says what both sides have.
        func settled() async throws -> [String] {
            for _ in 0..<3 { try await replicate() }
            let sight = try await sight(pair.here)
            for isReset in [false, true] {
                #expect(try await self.sight(pair.there) == sight)
                let before = try await pair.here.state()
                try await replicate(reset: isReset)
                #expect(try await pair.here.state() == before)
            }
            #expect(try await self.sight(pair.there) == sight)
            return sight
        }
    }

    @Test("The 2.x+ server is told the copy as the child of what it has, in one run, and of no tombstone")
    func told() async throws {
        let world = try await World()
        let copy = try await world.carry()
        try await world.replicate()
        let there = try await world.tree(world.pair.there)
        #expect(there.winner?.id == copy && there.parent(of: copy) == world.winner && there.leafCount == 1)
        #expect(try await world.settled() == ["doc@\(copy) {\"is\":\"new\"}"])
    }

    @Test("What is edited at the 2.x+ server meanwhile is an edit of the copy: no conflict, and it stands", arguments: [false, true])
    func editedThere(isDeletion: Bool) async throws {
        let world = try await World()
        let copy = try await world.carry()
        let edit = try await world.edit(world.pair.there, on: world.winner, #"{"is":"edited"}"#, deleted: isDeletion)
        // The copy has the same generation and may have the higher digest: that does not count.
        #expect(edit.generation == copy.generation)
        try await world.replicate()
        let here = try await world.tree(world.pair.here)
        #expect(here.winner?.isDeleted == isDeletion && here.leaves.allSatisfy { $0.isDeleted || $0.id == edit })
        let state = try await world.settled()
        #expect(state == [isDeletion ? "!" : "doc@\(edit) {\"is\":\"edited\"}"])
    }

    @Test("Where the copy was edited here as well, there is a conflict, and the resolver is asked")
    func editedHereAndThere() async throws {
        let world = try await World()
        let copy = try await world.carry()
        _ = try await world.edit(world.pair.here, on: copy, #"{"is":"here"}"#)
        _ = try await world.edit(world.pair.there, on: world.winner, #"{"is":"there"}"#)
        try await world.replicate(ConflictResolver { _ in .merged(Array(#"{"is":"both"}"#.utf8)) })
        #expect(try await world.settled().map { $0.split(separator: " ").last } == [#"{"is":"both"}"#])
    }

    @Test("What is edited here afterwards comes over", arguments: [false, true])
    func editedHere(isToldBefore: Bool) async throws {
        let world = try await World()
        let copy = try await world.carry()
        if isToldBefore { try await world.replicate() }
        let edit = try await world.edit(world.pair.here, on: copy, #"{"is":"edited"}"#)
        #expect(try await world.settled() == ["doc@\(edit) {\"is\":\"edited\"}"])
    }

    @Test("A branch of a lower generation that an app has decided for is written once more, above the server's")
    func low() async throws {
        let world = try await World()
        // An app here closes the winner, so that the other branch, of generation 1, stands.
        _ = try await world.edit(world.pair.here, on: world.winner, "{}", deleted: true)
        try await world.replicate()
        let (here, there) = (try await world.tree(world.pair.here), try await world.tree(world.pair.there))
        let winner = try #require(there.winner)
        #expect(winner.id.generation == 3 && !winner.isDeleted && here.winner?.id == winner.id)
        #expect(here.originals(of: winner.id) == [world.line] && there.isAncestor(world.winner, of: winner.id))
        #expect(try await world.settled() == ["doc@\(winner.id) {\"is\":\"old\"}"])
    }

    @Test("A push alone tells it, too")
    func pushAlone() async throws {
        let world = try await World()
        let copy = try await world.carry()
        #expect(try await world.pair.run(world.pair.configuration(.push)).status.error == nil)
        #expect(try await world.tree(world.pair.there).winner?.id == copy)
    }

    @Test("What a pull alone brings again of the original changes nothing")
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
    /// For where no conflict is wanted.
    fileprivate static let unasked = ConflictResolver { conflict in
        Issue.record("a conflict of \(conflict.documentID): \(conflict.local.revision) and \(conflict.remote.revision)")
        return .local
    }
}
