import Coordination
import Gateway
import ModernProtocol
import Storage

/// The state of a client's pull of one collection. Isolated to its session.
final class ChangesFeed {
    private(set) var request: SubChanges

    /// The message number of the client's `subChanges`; 0 for a feed that the client did not request.
    let number: UInt64

    /// False once the client has ended the pull or the connection has ended.
    private(set) var isActive = true

    /// The number of `changes` messages that wait for their reply or for their revisions to be sent.
    private(set) var inFlight = 0

    /// The number of the last `changes` message; `nil` before the first.
    var lastMessage: UInt64?

    /// The number of sent revisions for which the client's confirmation is outstanding.
    private var unstored = 0

    /// The commits that a continuous pull follows; `nil` for a one-shot pull.
    let commits: CommitSubscription?
    private let alarm: FeedWaiter?
    private let changed = Condition()

    /// - Parameter commits: The caller subscribes before it reads the feed, so that no commit is missed.
    init(_ request: SubChanges, number: UInt64 = 0, following commits: CommitSubscription? = nil) {
        self.request = request
        self.number = number
        self.commits = commits
        alarm = commits.map { FeedWaiter(following: $0) }
    }

    func stop() {
        isActive = false
        alarm?.raise(.end)
        changed.notifyAll()
    }

    /// Includes tombstones from this row on: the client may have pulled these documents before their deletion.
    func endInitialPull() {
        request.activeOnly = false
    }

    /// Waits for a commit after the last read of the feed. Stops the feed when no more commits can arrive.
    func waitForCommit(isolation: isolated (any Actor)? = #isolation) async {
        guard isActive, let alarm, let events = try? await alarm.next(), !events.contains(.end) else { return stop() }
    }

    /// Waits until one more `changes` message may be sent, and counts that message as in flight.
    func waitForSlot(limit: Int, isolation: isolated (any Actor)? = #isolation) async {
        while inFlight >= limit, isActive {
            await changed.wait()
        }
        inFlight += 1
    }

    /// Waits until no message is in flight and the client has confirmed all revisions that need a confirmation.
    func waitUntilIdle(isolation: isolated (any Actor)? = #isolation) async {
        while inFlight > 0 || unstored > 0, isActive {
            await changed.wait()
        }
    }

    func recordUnstored() {
        unstored += 1
    }

    func recordStored() {
        unstored -= 1
        changed.notifyAll()
    }

    /// Waits for the next change of this feed's state.
    func waitForChange(isolation: isolated (any Actor)? = #isolation) async {
        await changed.wait()
    }

    /// Resumes the tasks that wait for a change of this feed's state.
    func notify() {
        changed.notifyAll()
    }

    /// Counts a message or its revisions as in flight, without waiting.
    func addInFlight() {
        inFlight += 1
    }

    func removeInFlight() {
        inFlight -= 1
        changed.notifyAll()
    }
}
