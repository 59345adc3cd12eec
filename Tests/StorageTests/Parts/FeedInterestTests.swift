import Documents
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Followers that a commit wakes", .timeLimit(.minutes(5)))
struct FeedInterestTests {
    /// Waits in a task of its own for one commit.
    private func follow(_ subscription: CommitSubscription) -> Task<Commit?, Never> {
        Task {
            var commits = subscription.makeAsyncIterator()
            return await commits.next()
        }
    }

    private func commit(_ number: Int64, _ channels: String..., in collection: CollectionKey = .default) -> Commit {
        Commit(
            sequence: SequenceNumber(number), touchesUnified: true, collections: [collection],
            channels: Set(channels.map { ChannelPlace($0, in: collection) }))
    }

    @Test("A commit wakes the follower of its channel and the follower of everything, and not a thousand others")
    func channels() async {
        let hub = CommitHub()
        let others = (0..<1000).map { number in
            let subscription = CommitSubscription(hub: hub, scope: .unified)
            subscription.narrow(asOf: subscription.mark) { $0.channel == "c\(number)" }
            return follow(subscription)
        }
        let mine = CommitSubscription(hub: hub, scope: .unified)
        mine.narrow(asOf: mine.mark) { $0.channel == "mine" }
        let (reader, all) = (follow(mine), follow(CommitSubscription(hub: hub, scope: .unified)))
        await eventually { hub.waiterCount >= 1002 }
        hub.post(commit(1, "nobody's", "mine"))
        #expect(hub.waiterCount == 1000)
        #expect(await reader.value?.sequence == SequenceNumber(1))
        #expect(await all.value?.sequence == SequenceNumber(1))
        hub.post(commit(2, "c17"))
        #expect(hub.waiterCount == 999)
        #expect(await others[17].value?.sequence == SequenceNumber(2))
        hub.close()
        for task in others { _ = await task.value }
    }

    @Test("A commit with unknown channels wakes every follower of the keyspace")
    func unknownChannels() async {
        let hub = CommitHub()
        let subscription = CommitSubscription(hub: hub, scope: .unified)
        subscription.narrow(asOf: subscription.mark) { _ in false }
        let task = follow(subscription)
        await eventually { hub.waiterCount >= 1 }
        hub.post(commit(1, "a"))
        #expect(hub.waiterCount == 1)
        hub.post(Commit(sequence: SequenceNumber(2), touchesUnified: true, collections: []))
        #expect(await task.value?.sequence == SequenceNumber(2))
    }

    @Test("After an access change every commit wakes a follower, until its rights have been read again")
    func access() async {
        let hub = CommitHub()
        let subscription = CommitSubscription(hub: hub, scope: .unified)
        let before = subscription.mark
        subscription.narrow(asOf: before) { _ in false }
        let access = Commit(sequence: SequenceNumber(1), touchesUnified: false, collections: [], access: .everyone)
        for number in Int64(1)...3 {
            let task = follow(CommitSubscription(hub: hub, scope: .collection(CollectionKey(9))))
            await eventually { hub.waiterCount >= 1 }
            hub.post(access)
            #expect(await task.value != nil)
            // Rights from before the change do not count, however late they are set.
            if number == 2 { subscription.narrow(asOf: before) { _ in false } }
            var commits = subscription.makeAsyncIterator()
            _ = await commits.next()
            let rest = commits
            let waiting = Task {
                var commits = rest
                return await commits.next()
            }
            await eventually { hub.waiterCount >= 1 }
            if number == 3 {
                subscription.narrow(asOf: subscription.mark) { _ in false }
                hub.post(commit(10, "a"))
                #expect(hub.waiterCount == 1)
                subscription.narrow(asOf: subscription.mark, to: nil)
            }
            hub.post(commit(20 + number, "a"))
            #expect(await waiting.value != nil)
        }
    }

    @Test("An access change wakes only the affected followers")
    func grantees() async {
        let hub = CommitHub()
        func follower(_ grantees: Set<Grantee>?, scope: FeedScope = .unified) -> CommitSubscription {
            let subscription = CommitSubscription(hub: hub, scope: scope)
            subscription.narrow(asOf: subscription.mark, by: grantees) { $0.channel == "mine" }
            return subscription
        }
        func access(_ number: Int64, _ change: AccessChange) -> Commit {
            Commit(sequence: SequenceNumber(number), touchesUnified: true, collections: [.default], access: change, channels: [])
        }
        let others = [
            follower([.user("bob"), .role("guests")]), follower([.user("anna2")], scope: .collection(CollectionKey(9))),
            // An administrator's.
            follower([]),
        ].map(follow)
        for change in [AccessChange.of([.user("anna")]), .of([.role("team"), .user("nobody")]), .of([.user("anna"), .role("x")])] {
            let task = follow(follower([.user("anna"), .role("team")]))
            await eventually { hub.waiterCount >= 4 }
            hub.post(access(1, .of([.user("team"), .role("anna")])))
            #expect(hub.waiterCount == 4)
            hub.post(access(2, change))
            #expect(hub.waiterCount == 3)
            #expect(await task.value != nil)
        }
        let unknown = [follow(follower(nil)), follow(CommitSubscription(hub: hub, scope: .unified))]
        await eventually { hub.waiterCount >= 5 }
        hub.post(access(3, .of([.user("nobody")])))
        #expect(hub.waiterCount == 3)
        for task in unknown { #expect(await task.value?.access == .of([.user("nobody")])) }
        hub.post(access(4, .everyone))
        #expect(hub.waiterCount == 1)
        hub.close()
        for task in others { _ = await task.value }
    }

    @Test(
        "A follower's interest from before its access change is ignored, whatever the order of changes of other users"
    )
    func outdated() async {
        let hub = CommitHub()
        let subscription = CommitSubscription(hub: hub, scope: .unified)
        let before = subscription.mark
        let own = Commit(sequence: SequenceNumber(1), touchesUnified: false, collections: [], access: .of([.user("anna")]))
        hub.post(own)
        hub.post(Commit(sequence: SequenceNumber(2), touchesUnified: false, collections: [], access: .of([.user("bob")])))
        subscription.narrow(asOf: before, by: [.user("anna")]) { _ in false }
        var commits = subscription.makeAsyncIterator()
        #expect(await commits.next()?.access == .of([.user("anna"), .user("bob")]))
        let rest = commits
        let waiting = Task {
            var commits = rest
            return await commits.next()
        }
        await eventually { hub.waiterCount >= 1 }
        hub.post(commit(3, "a"))
        #expect(await waiting.value?.sequence == SequenceNumber(3))
    }

    @Test("Too many access changes in a commit are not stored by name")
    func many() {
        var touches = AccessChangeLog()
        touches.record(.of([.user("anna")]), at: 1)
        for number in UInt64(2)...20_000 { touches.record(.of([.user("u\(number)")]), at: number) }
        #expect(touches.last(of: [.user("anna")]) > 1)
        #expect(touches.change(since: 5) == .everyone)
        #expect(touches.last(of: []) == 0)
        var change = AccessChange.none
        for number in 0..<1_000 { change.insert(.user("u\(number)")) }
        #expect(change.concerns([.user("u7")]) && !change.concerns([.user("anna")]))
        change.insert(.user("one more"))
        #expect(change == .everyone)
    }

    @Test("A commit names the channels with added, changed or removed documents, and too many are not named", arguments: StorageEngine.all)
    func store(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            func channels(_ names: Set<String>, of id: String) async throws {
                try await store.write { transaction in
                    let sequence = try transaction.nextSequence()
                    let found = try transaction.document(unifiedID: id)
                    if found == nil { try transaction.add(id) }
                    var document = try #require(try transaction.document(unifiedID: id))
                    document.sequence = sequence
                    document.collectionSequence = sequence
                    try transaction.update(document)
                    try transaction.setChannels(names, of: document, at: sequence)
                }
            }
            func expect(wakes isWoken: Bool, who sees: String, _ work: () async throws -> Void) async throws {
                let subscription = store.commits(for: .unified)
                subscription.narrow(asOf: subscription.mark) { $0 == ChannelPlace(sees, in: .default) }
                let task = follow(subscription)
                await store.waitForWaiters(1)
                try await work()
                #expect(store.waiterCount == (isWoken ? 0 : 1))
                task.cancel()
                _ = await task.value
            }
            try await expect(wakes: true, who: "a") { try await channels(["a"], of: "d") }
            try await expect(wakes: false, who: "a") { try await channels(["b"], of: "e") }
            try await expect(wakes: true, who: "a") { try await channels(["a"], of: "d") }
            try await expect(wakes: true, who: "a") { try await channels(["b"], of: "d") }
            try await expect(wakes: false, who: "c") { try await channels(["b", "f"], of: "d") }
            try await expect(wakes: false, who: "a") { try await store.write { _ = try $0.add("in no channel") } }
            try await expect(wakes: true, who: "a") { try await channels(Set((0..<100).map { "x\($0)" }), of: "g") }
        }
    }
}
