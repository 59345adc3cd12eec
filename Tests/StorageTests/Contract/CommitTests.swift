import Documents
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Following commits")
struct CommitTests {
    @Test("A follower wakes after a commit, and can read it", arguments: StorageEngine.all)
    func wakes(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            var commits = store.commits().makeAsyncIterator()
            async let writing = store.write { try $0.add("a") }
            let commit = try #require(await commits.next())
            #expect(commit.touchesUnified)
            #expect(commit.collections == [.default])
            #expect(try await store.read { try $0.lastSequence } == commit.sequence)
            _ = try await writing
        }
    }

    @Test("A slow follower gets merged commits, and misses none from before its wait", arguments: StorageEngine.all)
    func merges(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let subscription = store.commits()
            let orders = try await store.write { try $0.putCollection(scope: "sales", name: "orders", isHidden: false).key }
            try await store.write { _ = try $0.add("a") }
            try await store.write { _ = try $0.add("b", in: orders) }
            var commits = subscription.makeAsyncIterator()
            let commit = try #require(await commits.next())
            #expect(commit.collections == [.default, orders])
            #expect(commit.sequence.value == SequenceNumber.newOrigin.value + 2)
        }
    }

    @Test("A commit wakes only the followers of its scope")
    func scopes() async {
        let hub = CommitHub()
        let quiet = CollectionKey(7)
        let waiting = (0..<1000).map { _ in
            Task {
                var commits = CommitSubscription(hub: hub, scope: .collection(quiet)).makeAsyncIterator()
                return await commits.next()
            }
        }
        await eventually { hub.waiterCount >= 1000 }
        hub.post(Commit(sequence: SequenceNumber(1), touchesUnified: true, collections: [.default]))
        #expect(hub.waiterCount == 1000)
        hub.post(Commit(sequence: SequenceNumber(2), touchesUnified: false, collections: [quiet]))
        for task in waiting { #expect(await task.value?.sequence == SequenceNumber(2)) }
        #expect(hub.waiterCount == 0)
    }

    @Test("A cancelled follower ends, and misses nothing if it returns")
    func cancellation() async {
        let hub = CommitHub()
        let subscription = CommitSubscription(hub: hub, scope: nil)
        let task = Task {
            var commits = subscription.makeAsyncIterator()
            let first = await commits.next()
            return (first, commits)
        }
        await eventually { hub.waiterCount >= 1 }
        task.cancel()
        var (first, commits) = await task.value
        #expect(first == nil)
        #expect(hub.waiterCount == 0)
        hub.post(Commit(sequence: SequenceNumber(1), touchesUnified: true, collections: []))
        #expect(await commits.next()?.sequence == SequenceNumber(1))
    }

    @Test("Followers end when the store is closed", arguments: StorageEngine.all)
    func closing(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let store = try place.open()
        let subscription = store.commits()
        let task = Task {
            var count = 0
            for await _ in subscription { count += 1 }
            return count
        }
        try await store.write { _ = try $0.add("a") }
        try await store.close()
        #expect(await task.value == 1)
    }

    @Test("With many followers and many commits every follower is woken", arguments: StorageEngine.all)
    func stress(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let subscription = store.commits(for: .unified)
            let target = SequenceNumber(SequenceNumber.newOrigin.value + 200)
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        for await commit in subscription where commit.sequence >= target { return true }
                        return false
                    }
                }
                for index in 0..<200 {
                    group.addTask { (try? await store.write { try $0.add("d\(index)") }) != nil }
                }
                for await isFine in group { #expect(isFine) }
            }
        }
    }

    @Test("Commits of another opening are detected at the next commit of this one", arguments: StorageEngine.all)
    func otherProcess(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let ours = try place.open()
        let other = try place.open()
        try await ours.write { _ = try $0.add("a") }
        let orders = try await ours.write { try $0.putCollection(scope: "sales", name: "orders", isHidden: false).key }
        var commits = ours.commits(for: .collection(orders)).makeAsyncIterator()
        try await other.write { _ = try $0.add("b", in: orders) }
        try await ours.write { _ = try $0.add("c") }
        #expect(await commits.next()?.collections.contains(orders) == true)
        try await ours.close()
        try await other.close()
    }

    @Test("Commits of another opening wake the followers whom they may concern", arguments: StorageEngine.all)
    func otherProcessWakes(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let ours = try place.open { $0.pollInterval = .milliseconds(1) }
        let other = try place.open()
        let orders = try await ours.write { try $0.putCollection(scope: "sales", name: "orders", isHidden: false).key }
        // SQLite does not tell which documents the other one has changed.
        let others: [FeedScope] = engine == .sqlite ? [.collection(.default)] : []
        for scope in [FeedScope.unified, .collection(orders)] + others {
            let target = SequenceNumber(try await ours.read { try $0.lastSequence }.value + 1)
            let subscription = ours.commits(for: scope)
            let follower = Task {
                for await commit in subscription where commit.sequence >= target { return true }
                return false
            }
            await ours.waitForWaiters(1)
            try await other.write { _ = try $0.add("\(scope)", in: orders) }
            #expect(await follower.value)
        }
        try await ours.close()
        try await other.close()
    }

    @Test("Own commits, and detected ones of another opening, are reported once", arguments: StorageEngine.all)
    func noticedOnce(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let ours = try place.open { $0.pollInterval = .milliseconds(1) }
        let other = try place.open()
        var commits = ours.commits().makeAsyncIterator()
        try await ours.write { _ = try $0.add("a") }
        _ = await commits.next()
        for index in 0..<20 {
            try await other.write { _ = try $0.add("b\(index)") }
            _ = await commits.next()
            #expect(ours.commitCount == UInt64(2 * index + 2))
            try await ours.write { _ = try $0.add("c\(index)") }
            _ = await commits.next()
            #expect(ours.commitCount == UInt64(2 * index + 3))
        }
        try await ours.close()
        try await other.close()
    }

    @Test("A timer runs while a follower waits, and not otherwise", arguments: StorageEngine.all)
    func pollRests(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let store = try place.open { $0.pollInterval = .milliseconds(1) }
        #expect(!store.poll.isRunning)
        let subscription = store.commits(for: .collection(CollectionKey(77)))
        let followers = (0..<10).map { _ in
            Task {
                var commits = subscription.makeAsyncIterator()
                return await commits.next()
            }
        }
        await store.waitForWaiters(10)
        #expect(store.poll.isRunning)
        for follower in followers { follower.cancel() }
        for follower in followers { #expect(await follower.value == nil) }
        await eventually { !store.poll.isRunning }
        try await store.close()
    }
}
