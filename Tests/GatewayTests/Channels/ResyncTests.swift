import Access
import Documents
import SQLiteStorage
import Scripting
import Storage
import Testing

@testable import Gateway

@Suite("Resync")
struct ResyncTests {
    private static let byOwner = "function (doc) { channel(doc.owner); if (doc.grant) access(doc.grant, 'granted'); }"
    private static let byTeam =
        "function (doc, oldDoc) { requireAdmin(); if (doc.bad || oldDoc) throw({forbidden: 'no'}); channel(doc.team); }"

    private func fixture(_ function: String? = byOwner, orders: String? = nil) async throws -> Fixture {
        try await Fixture { configure(&$0, function, orders: orders) }
    }

    private func configure(_ configuration: inout DatabaseConfiguration, _ function: String?, orders: String? = nil) {
        configuration.collections = [
            CollectionConfiguration(name: .default, syncFunction: function),
            CollectionConfiguration(name: CollectionName(scope: "sales", name: "orders"), syncFunction: orders),
        ]
    }

    private func finish(_ database: Database, _ start: ResyncRun, limit: Int = 2) async throws -> ResyncRun {
        var run = start
        while run.state == .running { run = try await database.resyncStep(run, limit: limit) }
        return run
    }

    @Test("Documents get the channels of the new function and leave the others, with unchanged sequences and revisions")
    func channels() async throws {
        let fixture = try await fixture()
        try await fixture.user("anna", channels: ["anna", "red"])
        try await fixture.user("bob", channels: ["bob"])
        for (id, body) in [("1", #"{"owner":"anna","team":"red"}"#), ("2", #"{"owner":"bob","team":"red"}"#), ("3", #"{"owner":"bob"}"#)] {
            try await fixture.unified.edit(id, body: body)
        }
        let before = try await fixture.unified.record("2")
        let (anna, bob) = (try await fixture.unified.seen(by: "anna").read(), try await fixture.unified.seen(by: "bob").read())
        #expect(anna.rows == ["1"] && bob.rows == ["2", "3"])
        let database = try await fixture.reopened { configure(&$0, Self.byTeam) }
        let run = try await finish(database, try await database.beginResync())
        #expect(run.state == .completed && run.processed == 3 && run.changed == 3)
        #expect(try await database.unified.seen(by: "anna").rows(since: anna.position) == ["1", "2"])
        #expect(try await database.unified.seen(by: "bob").rows(since: bob.position) == ["2 removed bob", "3 removed bob"])
        #expect(try await database.unified.seen(by: "anna").rows() == ["1", "2"])
        let after = try await database.unified.record("2")
        #expect(after.sequence == before.sequence && after.winner == before.winner && after.modified == before.modified)
        let again = try await finish(database, try await database.beginResync())
        #expect(again.id != run.id && again.processed == 3 && again.changed == 0)
        try await fixture.expectSound()
    }

    @Test("Grants are computed again, and a document that the function refuses is in no channel and grants nothing")
    func grantsAndRefusals() async throws {
        let fixture = try await fixture()
        try await fixture.user("anna")
        try await fixture.unified.edit("grant", body: #"{"owner":"x","grant":"anna"}"#)
        try await fixture.unified.edit("doc", body: #"{"owner":"granted","bad":1,"team":"y"}"#)
        let anna = try await fixture.unified.seen(by: "anna").read()
        #expect(anna.rows.contains { $0.hasPrefix("doc") })
        let database = try await fixture.reopened { configure(&$0, Self.byTeam) }
        let run = try await finish(database, try await database.beginResync())
        #expect(run.changed == 2)
        #expect(try await database.unified.seen(by: "anna").rows { $0.includesRevocations = false } == [])
        #expect(try await database.unified.seen(by: "anna").rows(since: anna.position) == ["doc revoked granted"])
        let key = try #require(try await database.unified.record("doc").key)
        #expect(try await fixture.store.read { try $0.channels(of: key).filter(\.isCurrent) } == [])
    }

    @Test(
        "A function gets one ID of a document, whatever address it is written to: the collection's ID, or the legacy ID of the default collection",
        arguments: [true, false])
    func documentID(hasOwn: Bool) async throws {
        let byID = "function (doc, oldDoc) { channel(doc._id); if (oldDoc && oldDoc._id != doc._id) throw({forbidden: oldDoc._id}); }"
        func configure(_ configuration: inout DatabaseConfiguration) throws {
            self.configure(&configuration, byID, orders: hasOwn ? byID : nil)
            try configuration.route(.idPrefix("order::"), to: "sales.orders", strip: true)
        }
        let fixture = try await Fixture { try configure(&$0) }
        let orders = try fixture.collection("sales.orders")
        func channels(_ id: String, _ database: Database) async throws -> Set<String> {
            let record = try await database.unified.record(id)
            return Set(try await database.store.read { try $0.channels(of: record.winner, in: record) })
        }
        // By the old address alone, by the new one alone, and by both in turn.
        let first = try await fixture.unified.edit("order::1", body: "{}")
        try await orders.edit("2", body: "{}")
        try await fixture.unified.edit("order::3", body: "{}")
        try await orders.edit("1", parent: first, body: #"{"n":2}"#)
        for (id, local) in [("order::1", "1"), ("order::2", "2"), ("order::3", "3")] {
            #expect(try await channels(id, fixture.database) == [hasOwn ? local : id])
        }
        let run = try await finish(fixture.database, try await fixture.database.beginResync())
        #expect(run.processed == 3 && run.changed == 0)
    }

    @Test("The function assigns channels of losing leaves, too")
    func leaves() async throws {
        let fixture = try await fixture()
        try await fixture.unified.push("1", "2-aa", "1-a", body: #"{"owner":"a","team":"red"}"#)
        try await fixture.unified.push("1", "2-bb", "1-a", body: #"{"owner":"b","team":"blue"}"#)
        let database = try await fixture.reopened { configure(&$0, Self.byTeam) }
        _ = try await finish(database, try await database.beginResync())
        let record = try await database.unified.record("1")
        let channels = try await fixture.store.read { snapshot in
            try record.tree.leaves.map { try snapshot.channels(of: $0.id, in: record) }
        }
        #expect(channels == [["blue"], ["red"]])
    }

    @Test("An interrupted run continues after the last document with the same counts, after a restart")
    func interruption() async throws {
        let fixture = try await fixture()
        for number in 1...7 { try await fixture.unified.edit("\(number)", body: #"{"owner":"a","team":"t"}"#) }
        let database = try await fixture.reopened { configure(&$0, Self.byTeam) }
        let first = try await database.resyncStep(try await database.beginResync(), limit: 3)
        #expect(first.state == .running && first.processed == 3)
        let restarted = try await fixture.reopened { configure(&$0, Self.byTeam) }
        let left = try #require(try await restarted.resyncRun())
        #expect(left == first)
        let run = try await finish(restarted, left)
        #expect(run.id == first.id && run.processed == 7 && run.changed == 7 && run.state == .completed)
    }

    @Test("A function that changes during a run restarts its collection")
    func changedInBetween() async throws {
        let fixture = try await fixture()
        for number in 1...4 { try await fixture.unified.edit("\(number)", body: #"{"owner":"a","team":"t","third":"z"}"#) }
        let database = try await fixture.reopened { configure(&$0, Self.byTeam) }
        _ = try await database.resyncStep(try await database.beginResync(), limit: 3)
        let third = try await fixture.reopened { configure(&$0, "function (doc) { channel(doc.third); }") }
        _ = try await finish(third, try #require(try await third.resyncRun()))
        try await fixture.user("u", channels: ["z"])
        #expect(try await third.unified.seen(by: "u").read().rows.count == 4)
    }

    @Test("A stopped run does nothing more, and continues when it is started again")
    func stopping() async throws {
        let fixture = try await fixture()
        for number in 1...4 { try await fixture.unified.edit("\(number)", body: #"{"owner":"a"}"#) }
        let run = try await fixture.database.resyncStep(try await fixture.database.beginResync(), limit: 1)
        try await fixture.database.stopResync()
        let stopped = try await fixture.database.resyncStep(run, limit: 1)
        #expect(stopped.state == .stopped && stopped.processed == 1)
        let again = try await fixture.database.beginResync()
        #expect(again.id == run.id && again.processed == 1)
        #expect(try await finish(fixture.database, again).processed == 4)
        #expect(try await fixture.database.beginResync(restarts: true).id != run.id)
    }

    @Test("A document that changes during its evaluation is evaluated again")
    func concurrentWrite() async throws {
        let fixture = try await fixture()
        let first = try await fixture.unified.edit("1", body: #"{"owner":"a"}"#)
        let run = try await fixture.database.beginResync()
        async let writing = fixture.unified.edit("1", parent: first, body: #"{"owner":"b"}"#)
        _ = try await finish(fixture.database, run)
        _ = try await writing
        let record = try await fixture.unified.record("1")
        #expect(try await fixture.store.read { try $0.channels(of: record.winner, in: record) } == ["b"])
    }

    @Test("Only the named collections are evaluated, and an unknown one is an error")
    func scopes() async throws {
        let fixture = try await fixture()
        try await fixture.unified.edit("1", body: #"{"owner":"a"}"#)
        try await fixture.collection("sales.orders").edit("2", body: #"{"channels":["c"]}"#)
        let database = try await fixture.reopened { configure(&$0, Self.byTeam, orders: "function (doc) { channel('all'); }") }
        let run = try await finish(database, try await database.beginResync([CollectionName(scope: "sales", name: "orders")]))
        #expect(run.processed == 1 && run.changed == 1)
        #expect(try await code { _ = try await database.beginResync([CollectionName(scope: "a", name: "b")]) } == .notFound)
    }

    @Test("The store records the function that evaluated its documents, and whether there were several")
    func record() async throws {
        let fixture = try await fixture()
        func isJudged(_ database: Database) async throws -> Bool {
            try await fixture.store.write {
                try SyncFunctionRecord(functions: database.syncFunctions, transaction: $0).record(.default)
            }
        }
        #expect(try await isJudged(fixture.database))
        let empty = try await fixture.reopened { configure(&$0, Self.byTeam) }
        #expect(try await isJudged(empty))
        try await empty.unified.edit("1", body: #"{"team":"a"}"#)
        let changed = try await fixture.reopened { configure(&$0, Self.byOwner) }
        #expect(try await !isJudged(changed))
        let back = try await fixture.reopened { configure(&$0, Self.byTeam) }
        #expect(try await !isJudged(back))
        _ = try await finish(back, try await back.beginResync())
        #expect(try await isJudged(back))
    }

    @Test("Followers of a channel wake after a resync, in both keyspaces")
    func wakes() async throws {
        let fixture = try await fixture()
        try await fixture.unified.edit("1", body: #"{"owner":"a","team":"t"}"#)
        let database = try await fixture.reopened { configure(&$0, Self.byTeam) }
        let commits = [database.unified.follow(), try #require(database.keyspace(.default)).follow()]
        _ = try await finish(database, try await database.beginResync())
        for subscription in commits {
            var iterator = subscription.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
    }
}
