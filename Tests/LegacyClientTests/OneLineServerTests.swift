import Documents
import Gateway
import LegacyTestSupport
import Storage
import TestSupport
import Testing

@testable import LegacyClient

@Suite("Replication with an old server without branches", .timeLimit(.minutes(5)))
struct OneLineServerTests {
    /// A bridge, and an old server that refuses branches.
    private struct World {
        let here: Bridge
        let there: RemoteServer

        init(_ configure: (inout DatabaseConfiguration) -> Void = { _ in }) async throws {
            here = try await Bridge(configure)
            there = try await RemoteServer { $0.conflicts = .refuse }
        }

        private func replication(_ direction: ReplicationDirection) throws -> Replication {
            let replication = try Replication(
                direction, localDatabase: here.database.unified, remoteURL: there.url, limits: ReplicationLimits(),
                clock: ImpatientClock(maximum: 1_000))
            replication.isUpstream = true
            replication.parking = Parking("legacy", in: here.database)
            return replication
        }

        func run(_ directions: ReplicationDirection...) async throws {
            for direction in directions {
                let replication = try replication(direction)
                replication.start()
                #expect(await replication.waitUntilStopped().lastError == nil)
            }
        }

        func retry() async throws {
            let parked = try await here.database.parked(limit: 100).revisions
            let refused = try parked.map { RefusedRevision(id: $0.id, revision: try #require(RevisionID($0.revision))) }
            try await replication(.push).tryAgain(refused)
        }

        func leaves(_ bridge: Bridge, _ id: String) async throws -> [String] {
            try await bridge.database.unified.read { snapshot in
                try snapshot.document(id)?.tree.leaves.map { ($0.isDeleted ? "!" : "") + $0.id.text } ?? []
            }
        }

        /// The winner's body of each document.
        func winners(_ bridge: Bridge) async throws -> [String: String] {
            let keyspace = bridge.database.unified
            var found: [String: String] = [:]
            for row in try await keyspace.changes(ChangesQuery()).rows where !row.isDeleted {
                let content = try await keyspace.read { try $0.document(row.id).flatMap { try $0.content(of: $0.winner) } }
                found[row.id] = "\(row.revision) \(String(decoding: content?.body.properties ?? [], as: UTF8.self))"
            }
            return found
        }

        var parked: [String] {
            get async throws { try await here.database.parked(limit: 100).revisions.map { "\($0.id) \($0.revision) \($0.code)" } }
        }

        /// The pushed revisions, in `_bulk_docs` and as single documents.
        var writes: Int { there.names.count { $0 == "POST _bulk_docs" || $0.hasPrefix("PUT d") } }
    }

    private func edit(_ bridge: Bridge, _ id: String, _ history: [String], _ body: String = "", deleted: Bool = false) async throws {
        let ids = history.map { "\"\($0.split(separator: "-")[1])\"" }.joined(separator: ",")
        let start = history[0].split(separator: "-")[0]
        let members = "\(body.isEmpty ? "" : ",")\(body)\(deleted ? ",\"_deleted\":true" : "")"
        try await bridge.push(
            "{\"_id\":\"\(id)\",\"_rev\":\"\(history[0])\",\"_revisions\":{\"start\":\(start),\"ids\":[\(ids)]}\(members)}")
    }

    @Test("The winner is carried onto the old server's branch, both sides have the same winner, and nothing is parked")
    func wonHere() async throws {
        let world = try await World()
        try await edit(world.there.bridge, "d", ["1-aa"])
        try await world.run(.pull)
        try await edit(world.here, "d", ["2-cc", "1-aa"], #""by":"bridge""#)
        try await edit(world.there.bridge, "d", ["2-bb", "1-aa"], #""by":"old""#)
        // The push runs first: the other revision is not here yet.
        try await world.run(.push)
        #expect(try await world.parked == ["d 2-cc 409"])
        try await world.run(.pull, .push)
        #expect(try await world.parked == [])
        let (here, there) = (try await world.winners(world.here), try await world.winners(world.there.bridge))
        #expect(here == there && here["d"]?.hasSuffix(#"{"by":"bridge"}"#) == true, "\(here) \(there)")
        let leaves = try await world.leaves(world.here, "d")
        #expect(leaves.count == 2 && leaves.last?.hasPrefix("!3-") == true)
        #expect(try await world.leaves(world.there.bridge, "d").count == 1)
        world.there.clearEntries()
        try await world.run(.pull, .push, .pull, .push)
        #expect(world.writes == 0)
        await world.there.close()
    }

    @Test(
        "A revision that is refused because a tombstone follows in the same batch is sent again, so the document is not deleted only there")
    func closedBehind() async throws {
        let world = try await World()
        try await edit(world.here, "d", ["1-aa"])
        try await edit(world.here, "d", ["2-ee", "1-aa"], deleted: true)
        try await world.run(.push)
        try await edit(world.there.bridge, "d", ["1-bb"], #""by":"old""#)
        try await world.run(.pull)
        // The conflict is resolved here before the replicator learns that the old server has no branches.
        try await edit(world.here, "d", ["3-ff", "2-ee", "1-aa"], #""by":"bridge""#)
        try await edit(world.here, "d", ["2-dd", "1-bb"], deleted: true)
        try await world.run(.push, .pull, .push)
        let (here, there) = (try await world.winners(world.here), try await world.winners(world.there.bridge))
        #expect(here == there && here["d"]?.hasSuffix(#"{"by":"bridge"}"#) == true, "\(here) \(there)")
        #expect(try await world.parked == [])
        await world.there.close()
    }

    @Test("A losing revision and the tombstone that closes its branch are not offered")
    func lostHere() async throws {
        let world = try await World()
        try await edit(world.there.bridge, "d", ["1-aa"])
        try await world.run(.pull)
        try await edit(world.here, "d", ["2-bb", "1-aa"], #""by":"bridge""#)
        try await edit(world.there.bridge, "d", ["2-cc", "1-aa"], #""by":"old""#)
        try await world.run(.push, .pull, .push)
        #expect(try await world.parked == [])
        #expect(try await world.leaves(world.here, "d") == ["2-cc", "2-bb"])
        try await edit(world.here, "d", ["3-ff", "2-bb", "1-aa"], deleted: true)
        world.there.clearEntries()
        try await world.run(.push)
        #expect(try await world.parked == [] && world.writes == 0)
        // Children of the old server's branch are offered.
        try await edit(world.here, "d", ["3-dd", "2-cc", "1-aa"], #""by":"both""#)
        try await world.run(.push)
        #expect(try await world.leaves(world.there.bridge, "d") == ["3-dd"])
        #expect(try await world.parked == [])
        await world.there.close()
    }

    @Test("A document that is edited on one side and deleted on the other is edited on both sides afterwards")
    func deletions() async throws {
        let world = try await World()
        for id in ["d1", "d2", "d3"] { try await edit(world.there.bridge, id, ["1-aa"]) }
        try await world.run(.pull)
        try await edit(world.here, "d1", ["2-cc", "1-aa"], #""by":"bridge""#)
        try await edit(world.there.bridge, "d1", ["2-dd", "1-aa"], deleted: true)
        try await edit(world.here, "d2", ["2-dd", "1-aa"], deleted: true)
        try await edit(world.there.bridge, "d2", ["2-cc", "1-aa"], #""by":"old""#)
        // An app closes the old server's branch here.
        try await edit(world.here, "d3", ["2-cc", "1-aa"], #""by":"bridge""#)
        try await edit(world.there.bridge, "d3", ["2-dd", "1-aa"], #""by":"old""#)
        try await world.run(.pull)
        try await edit(world.here, "d3", ["3-ee", "2-dd", "1-aa"], deleted: true)
        try await world.run(.push, .pull, .push, .pull)
        let (here, there) = (try await world.winners(world.here), try await world.winners(world.there.bridge))
        #expect(here == there && here.count == 3, "\(here) \(there)")
        #expect(here["d1"]?.contains("bridge") == true && here["d2"]?.contains("old") == true && here["d3"]?.contains("bridge") == true)
        #expect(try await world.parked == [])
        await world.there.close()
    }

    @Test("An edit or deletion there wins after the document was carried onto another server's branch here", arguments: [false, true])
    func overtaken(isDeletion: Bool) async throws {
        let world = try await World()
        try await edit(world.there.bridge, "d", ["2-bb", "1-aa"], #""by":"first""#)
        try await world.run(.pull)
        // The branch of a 2.x+ server, onto which the winner is carried.
        try await edit(world.here, "d", ["2-b0", "1-aa"], #""by":"other""#)
        let (winner, line) = (try #require(RevisionID("2-bb")), try #require(RevisionID("2-b0")))
        let copy = try #require(try await world.here.database.unified.carry(winner, onto: line, of: "d"))
        // The copy would win by its digest. An edit of the original counts as an edit of the copy.
        try await edit(world.there.bridge, "d", ["3-00", "2-bb", "1-aa"], #""by":"second""#, deleted: isDeletion)
        try await world.run(.pull)
        #expect(try await world.leaves(world.here, "d").first == (isDeletion ? copy.text : "3-00"))
        try await world.run(.push, .pull, .push)
        let (here, there) = (try await world.winners(world.here), try await world.winners(world.there.bridge))
        #expect(here == there && here == (isDeletion ? [:] : ["d": #"3-00 {"by":"second"}"#]), "\(here) \(there)")
        #expect(try await world.parked == [])
        world.there.clearEntries()
        try await world.run(.pull, .push)
        #expect(world.writes == 0)
        await world.there.close()
    }

    @Test("A revision that an earlier version has parked is removed from the list when it is retried")
    func retried() async throws {
        let world = try await World()
        try await edit(world.there.bridge, "d", ["1-aa"])
        try await world.run(.pull)
        try await edit(world.here, "d", ["2-bb", "1-aa"])
        try await edit(world.there.bridge, "d", ["2-cc", "1-aa"])
        try await world.run(.push, .pull)
        #expect(try await world.parked == ["d 2-bb 409"])
        try await world.retry()
        #expect(try await world.parked == [])
        #expect(try await SingleBranchRecord(of: world.there.url, in: world.here.database.unified).isOneLine)
        await world.there.close()
    }

    @Test("A database that refuses conflicts accepts the old server's branch all the same")
    func bothRefuse() async throws {
        let world = try await World { $0.conflicts = .refuse }
        try await edit(world.there.bridge, "d", ["1-aa"])
        try await world.run(.pull)
        try await edit(world.here, "d", ["2-cc", "1-aa"], #""by":"bridge""#)
        try await edit(world.there.bridge, "d", ["2-bb", "1-aa"], #""by":"old""#)
        try await world.run(.push, .pull, .push)
        #expect(try await world.parked == [])
        #expect(try await world.winners(world.here) == world.winners(world.there.bridge))
        await world.there.close()
    }

    @Test("An accepted revision is not parked together with a refused one of its document")
    func oneOfTwo() async throws {
        let here = try await Bridge()
        let there = try await RemoteServer {
            $0.collections = [
                CollectionConfiguration(
                    name: .default, syncFunction: "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }")
            ]
        }
        try await edit(here, "d", ["2-cc", "1-aa"], #""bad":true"#)
        try await edit(here, "d", ["2-bb", "1-aa"], #""bad":false"#)
        let push = try Replication(.push, localDatabase: here.database.unified, remoteURL: there.url)
        push.parking = Parking("legacy", in: here.database)
        push.start()
        #expect(await push.waitUntilStopped().lastError == nil)
        let parked = try await here.database.parked(limit: 9).revisions.map { "\($0.revision) \($0.code)" }
        #expect(parked == ["2-cc 403"])
        #expect(push.failedDocuments.map(\.revision.text) == ["2-cc"])
        #expect(try await there.bridge.database.unified.read { try $0.document("d")?.tree.leaves.map(\.id.text) } == ["2-bb"])
        await there.close()
    }

    @Test("Random writes on both sides lead to the same winners, and nothing stays parked", arguments: 0..<24)
    func anyOrder(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let world = try await World()
        var counter = 0
        for _ in 0..<30 {
            let id = "d\(Int.random(in: 0..<3, using: &random))"
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try await world.run(.push)
            case 1: try await world.run(.pull)
            case let choice:
                let bridge = choice < 5 ? world.here : world.there.bridge
                let histories = try await bridge.database.unified.read { snapshot in
                    try snapshot.document(id).map { view in view.tree.leaves.map { view.tree.history(of: $0.id).map(\.text) } } ?? []
                }
                // The old server's clients see only its branch.
                let base = choice < 5 ? histories.randomElement(using: &random) : histories.first
                counter += 1
                let generation = (base?.first.flatMap { RevisionID($0)?.generation } ?? 0) + 1
                let digest = String(UInt32.random(in: 0...UInt32.max, using: &random), radix: 16)
                try await edit(
                    bridge, id, ["\(generation)-\(digest)"] + (base ?? []), "\"n\":\(counter)",
                    deleted: Int.random(in: 0..<4, using: &random) == 0)
            }
        }
        for _ in 0..<4 { try await world.run(.pull, .push) }
        let (here, there) = (try await world.winners(world.here), try await world.winners(world.there.bridge))
        let parked = try await world.parked
        #expect(here == there, "seed \(seed)")
        #expect(parked == [], "seed \(seed)")
        world.there.clearEntries()
        try await world.run(.pull, .push)
        #expect(world.writes == 0, "seed \(seed)")
        await world.there.close()
    }
}
