import Coordination
import TestSupport
import Testing

@testable import Storage

@Suite("Callbacks for commits")
struct CommitCallTests {
    /// Collects the calls.
    private final class Ear: Sendable {
        private let words = Lock<[Bool]>([])

        var heard: [Bool] { words.withLock { $0 } }

        func hear(_ word: Bool) {
            words.withLock { $0.append(word) }
        }
    }

    private let hub = CommitHub()
    private let ear = Ear()

    private func post(_ number: Int64, in collection: CollectionKey) {
        hub.post(Commit(sequence: SequenceNumber(number), touchesUnified: false, collections: [collection]))
    }

    @Test("A callback runs once, for the first commit that matches its interest")
    func once() {
        let commits = CommitSubscription(hub: hub, scope: .collection(.default))
        let call = commits.call(after: commits.start, ear.hear)
        post(1, in: CollectionKey(7))
        #expect(ear.heard.isEmpty)
        post(2, in: .default)
        post(3, in: .default)
        #expect(ear.heard == [true])
        #expect(hub.waiterCount == 0)
        withExtendedLifetime(call) {}
    }

    @Test("A callback runs at once for a commit since the feed was read")
    func atOnce() {
        let commits = CommitSubscription(hub: hub, scope: .collection(.default))
        post(1, in: .default)
        let first = commits.call(after: commits.start, ear.hear)
        #expect(ear.heard == [true])
        let second = commits.call(after: commits.mark, ear.hear)
        #expect(ear.heard == [true])
        withExtendedLifetime((first, second)) {}
    }

    @Test("A callback does not run for hidden changes")
    func interest() {
        let commits = CommitSubscription(hub: hub, scope: .unified)
        commits.narrow(asOf: commits.mark) { $0.channel == "mine" }
        let call = commits.call(after: commits.start, ear.hear)
        for (number, channel) in [(1, "yours"), (2, "mine")] {
            hub.post(
                Commit(
                    sequence: SequenceNumber(Int64(number)), touchesUnified: true, collections: [.default],
                    channels: [ChannelPlace(channel, in: .default)]))
            #expect(ear.heard.count == number - 1)
        }
        withExtendedLifetime(call) {}
    }

    @Test("A released callback never runs again")
    func letGo() {
        let commits = CommitSubscription(hub: hub, scope: nil)
        do {
            let call = commits.call(after: commits.start, ear.hear)
            #expect(hub.waiterCount == 1)
            withExtendedLifetime(call) {}
        }
        #expect(hub.waiterCount == 0)
        post(1, in: .default)
        #expect(ear.heard.isEmpty)
    }

    @Test("A callback runs with false when the store is closed, and when it was closed before")
    func closed() {
        let commits = CommitSubscription(hub: hub, scope: nil)
        let first = commits.call(after: commits.start, ear.hear)
        hub.close()
        let second = commits.call(after: commits.start, ear.hear)
        #expect(ear.heard == [false, false])
        withExtendedLifetime((first, second)) {}
    }

    @Test("The timer for other processes' commits runs while a callback is registered")
    func poll() async {
        let (looks, looked) = AsyncStream.makeStream(of: Void.self)
        let poll = CommitPoll(interval: .milliseconds(1)) { done in
            looked.yield()
            done()
        }
        do {
            let call = CommitSubscription(hub: hub, poll: poll, scope: nil).call(after: 0, ear.hear)
            #expect(poll.isRunning)
            for await _ in looks { break }
            withExtendedLifetime(call) {}
        }
        await eventually { !poll.isRunning }
    }
}
