import Documents
import Gateway
import Storage
import Testing

@Suite("Feeds by channels")
struct ChannelFeedTests {
    @Test("A user gets the documents of the user's channels and of the public one, each once, in the order of changes")
    func ownChannels() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        for (id, channels) in [("1", ["a"]), ("2", ["x"]), ("3", ["a", "b"]), ("4", []), ("5", ["!"]), ("6", ["b"])] {
            try await fixture.unified.put(id, channels: channels)
        }
        try await fixture.unified.put("1", channels: ["a"], with: #""n":2"#)
        for limit in [1, 2, 100] {
            #expect(try await fixture.unified.seen(by: "anna").rows(limit: limit) == ["3", "5", "6", "1"])
            #expect(try await fixture.collection("_default").seen(by: "anna").rows(limit: limit) == ["3", "5", "6", "1"])
        }
        #expect(try await fixture.unified.rows() == ["2", "3", "4", "5", "6", "1"])
        try await fixture.expectSound()
    }

    @Test("The channel * shows everything, and no channel shows nothing")
    func everythingAndNothing() async throws {
        let fixture = try await Fixture()
        try await fixture.user("all", channels: ["*"])
        try await fixture.user("none")
        try await fixture.unified.put("1", channels: ["a"])
        try await fixture.unified.put("2", channels: [])
        #expect(try await fixture.unified.seen(by: "all").rows() == ["1", "2"])
        #expect(try await fixture.unified.seen(by: "none").rows() == [])
    }

    @Test("A user who had * before the first document gets an administrator's feed, in both directions")
    func everythingFromTheFirst() async throws {
        let fixture = try await Fixture()
        try await fixture.user("early", channels: ["*"])
        for id in ["1", "2", "3"] { try await fixture.unified.put(id, channels: [id]) }
        try await fixture.user("late", channels: ["*"])
        try await fixture.unified.put("4", channels: [])
        for keyspace in [fixture.unified, try fixture.collection("_default")] {
            for descending in [false, true] {
                for limit in [1, 2, 100] {
                    var query = ChangesQuery()
                    query.limit = limit
                    query.descending = descending
                    let all = try await keyspace.changes(query)
                    let early = try await keyspace.seen(by: "early").changes(query)
                    #expect(early.rows.map(\.id) == all.rows.map(\.id))
                    #expect(early.rows.map(\.position) == all.rows.map(\.position))
                    #expect(early.position == all.position && early.isCaughtUp == all.isCaughtUp)
                }
            }
            let late = try await keyspace.seen(by: "late").changes(ChangesQuery())
            #expect(late.rows.map(\.id) == ["1", "2", "3", "4"])
            #expect(late.rows.map { $0.position.trigger != nil } == [true, true, true, false])
        }
    }

    @Test("A grant sends the channel's older documents before the changes after the grant")
    func backfill() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        for (id, channels) in [("1", ["b"]), ("2", ["a"]), ("3", ["a", "b"]), ("4", ["b"])] {
            try await fixture.unified.put(id, channels: channels)
        }
        let anna = fixture.unified.seen(by: "anna")
        let first = try await anna.read()
        #expect(first.rows == ["2", "3"])
        try await fixture.user("anna", channels: ["a", "b"])
        try await fixture.unified.put("5", channels: ["b"])
        for limit in [1, 2, 100] {
            #expect(try await anna.rows(since: first.position, limit: limit) == ["1 again", "4 again", "5"])
        }
        #expect(try await anna.rows(since: try await anna.read(since: first.position).position) == [])
    }

    @Test("An interrupted backfill continues where it was")
    func resumedBackfill() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna")
        for id in 1...5 { try await fixture.unified.put("\(id)", channels: ["a"]) }
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        var query = ChangesQuery()
        query.limit = 2
        let batch = try await anna.changes(query)
        #expect(batch.rows.map(\.id) == ["1", "2"])
        let text = batch.position.description
        #expect(text.contains(":"))
        let position = try #require(FeedPosition(text))
        #expect(try await anna.rows(since: position) == ["3 again", "4 again", "5 again"])
    }

    @Test("A document that leaves the last of a user's channels is sent as removed, once; before that it is an ordinary change")
    func removal() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["a", "b"])
        var position = try await anna.read().position
        try await fixture.unified.put("1", channels: ["b", "x"])
        #expect(try await anna.rows(since: position) == ["1"])
        position = try await anna.read(since: position).position
        try await fixture.unified.put("1", channels: ["x"])
        #expect(try await anna.rows(since: position) == ["1 removed b"])
        #expect(try await anna.rows(since: position) { $0.activeOnly = true } == [])
        position = try await anna.read(since: position).position
        try await fixture.unified.put("1", channels: ["x"], with: #""secret":true"#)
        #expect(try await anna.rows(since: position) == [])
        try await fixture.unified.put("1", channels: ["a"])
        #expect(try await anna.rows(since: position) == ["1"])
        try await fixture.expectSound()
    }

    @Test("A client that asks for some channels gets removals from them, with or without other visible channels", arguments: [true, false])
    func leavesChannelsAskedFor(isStillSeen: Bool) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["a"])
        var query = ChangesQuery()
        query.channels = ["a"]
        query.since = try await anna.changes(query).position
        try await fixture.unified.put("1", channels: [isStillSeen ? "b" : "x"])
        let rows = try await anna.changes(query).rows
        #expect(rows.map(\.departure) == [.removed(["a"])])
        #expect(rows.map(\.isStillSeen) == [isStillSeen])
    }

    @Test("The row of a tombstone that leaves its channels is deleted")
    func tombstone() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["a"])
        let position = try await anna.read().position
        try await fixture.unified.put("1", channels: nil)
        #expect(try await anna.rows(since: position) == ["1 deleted removed a"])
        #expect(try await anna.rows(since: position) { $0.activeOnly = true } == [])
    }

    @Test("A lost channel revokes the documents that are no longer visible, and no others")
    func revocation() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        let anna = fixture.unified.seen(by: "anna")
        for (id, channels) in [("1", ["a"]), ("2", ["a", "b"]), ("3", ["b"])] { try await fixture.unified.put(id, channels: channels) }
        let position = try await anna.read().position
        try await fixture.unified.put("4", channels: ["a"])
        try await fixture.user("anna", channels: ["b"])
        try await fixture.unified.put("5", channels: ["a"])
        for limit in [1, 100] {
            #expect(try await anna.rows(since: position, limit: limit) == ["1 revoked a", "4 revoked a"])
        }
        #expect(try await anna.rows(since: position) { $0.includesRevocations = false } == [])
        #expect(try await anna.rows() == ["2", "3", "1 revoked a", "4 revoked a"], "a new client may still have them")
        #expect(try await anna.rows(since: try await anna.read(since: position).position) == [])
    }

    @Test("Access that is regained sends the documents again")
    func regained() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["a"])
        let first = try await anna.read().position
        try await fixture.user("anna")
        let second = try await anna.read(since: first).position
        try await fixture.user("anna", channels: ["a"])
        #expect(try await anna.rows(since: second) == ["1 again"])
        #expect(try await anna.rows(since: first) == ["1 again"], "it was hidden meanwhile, and is visible again")
    }

    @Test(
        "A document that left a channel while the reader had lost the channel is revoked when the reader regains it",
        arguments: [1, 100])
    func leftMeanwhile(limit: Int) async throws {
        let fixture = try await Fixture()
        try await fixture.role("staff", channels: ["s"])
        try await fixture.user("anna", roles: ["staff"])
        let anna = fixture.unified.seen(by: "anna")
        for id in ["1", "2"] { try await fixture.unified.put(id, channels: ["s"]) }
        let before = try await anna.read().position
        try await fixture.user("anna")
        try await fixture.unified.put("1", channels: ["z"])
        try await fixture.unified.put("3", channels: ["s"])
        try await fixture.user("anna", roles: ["staff"])
        #expect(try await anna.rows(since: before, limit: limit) == ["1 revoked s", "2 again", "3 again"])
        try await fixture.user("new", roles: ["staff"])
        #expect(try await fixture.unified.seen(by: "new").rows() == ["2 again", "3 again"], "a new client never had the first")
        let after = try await anna.read(since: before).position
        #expect(try await anna.rows(since: after, limit: limit) == [])
    }

    @Test("A role's channels are gained and lost with the role")
    func roles() async throws {
        let fixture = try await Fixture()
        try await fixture.role("staff", channels: ["s"])
        try await fixture.user("anna")
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("1", channels: ["s"])
        let first = try await anna.read()
        #expect(first.rows == [])
        try await fixture.user("anna", roles: ["staff"])
        let second = try await anna.read(since: first.position)
        #expect(second.rows == ["1 again"])
        try await fixture.role("staff", channels: [])
        #expect(try await anna.rows(since: second.position) == ["1 revoked s"])
        try await fixture.role("staff", channels: ["s"])
        let third = try await anna.read(since: second.position)
        #expect(third.rows == ["1 again"])
        try await fixture.user("anna")
        #expect(try await anna.rows(since: third.position) == ["1 revoked s"])
    }

    @Test("A feed can be limited to channels and to documents")
    func filters() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        for (id, channels) in [("1", ["a"]), ("2", ["b"]), ("3", ["x"]), ("4", ["a", "b"])] {
            try await fixture.unified.put(id, channels: channels)
        }
        let anna = fixture.unified.seen(by: "anna")
        #expect(try await anna.rows { $0.channels = ["b", "x"] } == ["2", "4"])
        #expect(try await fixture.unified.rows { $0.channels = ["x", "b"] } == ["2", "3", "4"])
        #expect(try await anna.rows { $0.documentIDs = ["1", "3", "4", "nowhere"] } == ["1", "4"])
        #expect(try await anna.rows { $0.descending = true } == ["4", "2", "1"])
    }

    @Test("A feed of named documents has their rows of the whole feed: removals, tombstones, revocations and grants")
    func singleDocuments() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b", "c"])
        for (id, channels) in [("1", ["a"]), ("2", ["a"]), ("3", ["a", "b"]), ("4", ["b"]), ("5", ["c"]), ("6", ["n"]), ("7", ["a"])] {
            try await fixture.unified.put(id, channels: channels)
        }
        let anna = fixture.unified.seen(by: "anna")
        let before = try await anna.read().position
        try await fixture.unified.put("1", channels: nil)
        try await fixture.unified.put("2", channels: ["x"])
        try await fixture.unified.put("3", channels: ["b"])
        try await fixture.user("anna", channels: ["a", "b", "n"])
        try await fixture.unified.put("7", channels: ["a", "n"])
        for keyspace in [anna, try fixture.collection("_default").seen(by: "anna")] {
            for since in [FeedPosition.zero, before] {
                for (descending, activeOnly) in [(false, false), (true, false), (false, true)] {
                    let change = { (query: inout ChangesQuery) in (query.descending, query.activeOnly) = (descending, activeOnly) }
                    let rows = try await keyspace.rows(since: since, change)
                    for limit in [100, 4] {
                        let found = try await keyspace.rows(since: since, limit: limit) { query in
                            change(&query)
                            query.documentIDs = ["1", "2", "3", "5"]
                        }
                        #expect(found == rows.filter { "1235".contains($0.prefix(1)) })
                    }
                    for id in ["1", "2", "3", "4", "5", "6", "7"] {
                        let found = try await keyspace.rows(since: since) { query in
                            change(&query)
                            query.documentIDs = [ExactString(id)]
                        }
                        #expect(found == rows.filter { $0.hasPrefix(id) })
                    }
                }
            }
            #expect(try await keyspace.rows(since: before) { $0.documentIDs = ["1", "2"] } == ["1 deleted removed a", "2 removed a"])
        }
    }

    @Test("Moved documents stay visible for the same users, in the unified keyspace and in the collection")
    func moved() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders") }
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.put("1", channels: ["a"], with: #""type":"order""#)
        let anna = fixture.unified.seen(by: "anna")
        let position = try await anna.read().position
        let database = try await fixture.reopened { try $0.route(.property(name: "type", equals: .string("order")), to: "sales.orders") }
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: "x"))
        while try await steps.next(limit: 10) != nil {}
        #expect(try await anna.rows(since: position) == [])
        #expect(try await anna.rows() == ["1"])
        #expect(try await fixture.collection("sales.orders").seen(by: "anna").rows() == ["1"])
        try await fixture.expectSound()
    }
}
