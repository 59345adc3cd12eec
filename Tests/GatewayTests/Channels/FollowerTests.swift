import Access
import Documents
import TestSupport
import Testing

@testable import Gateway
@testable import Storage

@Suite("Followers of feeds by channels", .timeLimit(.minutes(5)))
struct FollowerTests {
    /// Reads the feed to its end, and waits for the next commit.
    private func follow(_ keyspace: Keyspace, _ commits: CommitSubscription, _ store: any StoreEngine) async throws -> Task<Bool, Never> {
        var query = ChangesQuery()
        query.limit = 2
        while true {
            let batch = try await keyspace.changes(query, following: commits)
            query.since = batch.position
            if batch.isCaughtUp { break }
        }
        // Earlier commits no longer count.
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            var iterator = commits.makeAsyncIterator()
            begin.finish()
            return await iterator.next() != nil
        }
        for await _ in begun {}
        await waitForWaiters(1, in: store)
        return task
    }

    private func waitForWaiters(_ count: Int, in store: any StoreEngine) async {
        await eventually { store.waiterCount >= count }
    }

    @Test("A write wakes only the followers that see the document before or after it, in the unified keyspace and in a collection")
    func wakes() async throws {
        let fixture = try await Fixture { try $0.add("s.c") }
        try await fixture.user("anna", channels: ["a"])
        try await fixture.collection("s.c").put("other", channels: ["b"])
        for keyspace in [fixture.unified, try fixture.collection("_default")] {
            let anna = keyspace.seen(by: "anna")
            let id = keyspace.name
            for (channels, wakes) in [(["b"], false), (["a", "b"], true), (["a"], true), (["b"], true), (["c"], false), (["!"], true)] {
                let task = try await follow(anna, anna.follow(), fixture.store)
                try await fixture.unified.put(id, channels: channels)
                #expect(fixture.store.waiterCount == (wakes ? 0 : 1), "\(channels)")
                task.cancel()
                #expect(await task.value == wakes)
            }
        }
    }

    @Test("A follower that sees everything is woken by every write")
    func everything() async throws {
        let fixture = try await Fixture()
        try await fixture.user("all", channels: ["*"])
        for keyspace in [fixture.unified.seen(by: "all"), fixture.unified] {
            let task = try await follow(keyspace, keyspace.follow(), fixture.store)
            try await fixture.unified.put("in no channel \(keyspace.principal)", channels: [])
            #expect(await task.value)
        }
    }

    @Test("A grant wakes a follower, and so does a write that it makes visible, also before the feed is read again")
    func grant() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let commits = anna.follow()
        let task = try await follow(anna, commits, fixture.store)
        try await fixture.unified.put("d", channels: ["b"])
        #expect(fixture.store.waiterCount == 1)
        try await fixture.user("anna", channels: ["b"])
        #expect(await task.value)
        var news = commits.makeAsyncIterator()
        _ = await news.next()
        let rest = news
        let waiting = Task {
            var news = rest
            return await news.next() != nil
        }
        await waitForWaiters(1, in: fixture.store)
        try await fixture.unified.put("d", channels: ["b"], with: #""n":2"#)
        #expect(await waiting.value)
    }

    @Test("A new collection wakes every follower until it has read the feed again")
    func newCollection() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let task = try await follow(anna, anna.follow(), fixture.store)
        let reopened = try await fixture.reopened { try $0.add("s.c") }
        let name = try #require(CollectionName("s.c"))
        let new = try #require(reopened.keyspace(name))
        try await new.put("d", channels: ["b"])
        #expect(await task.value)
    }
}
