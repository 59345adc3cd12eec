import Gateway
import ModernProtocol
import Storage

/// A client's pull of a collection: how it goes on. Belongs to its session.
final class ChangesFeed {
    private(set) var request: SubChanges

    /// The number of the client's request; 0 for a feed that nobody asked for.
    let number: UInt64

    /// False when the client has ended it, or the connection has.
    private(set) var isActive = true

    /// `changes` messages whose answers have not come or whose revisions have not all been sent.
    private(set) var inFlight = 0

    /// The number of the last `changes` message; `nil` before the first.
    var lastMessage: UInt64?

    /// Revisions of which the client has yet to say that it has stored them.
    private var unstored = 0

    /// What a pull that goes on follows; `nil` for one that ends when the client has all.
    let commits: CommitSubscription?
    private let alarm: FeedWaiter?
    private let gate = Gate()

    /// - Parameter commits: Subscribed to before the feed is read, so that nothing falls between.
    init(_ request: SubChanges, number: UInt64 = 0, following commits: CommitSubscription? = nil) {
        self.request = request
        self.number = number
        self.commits = commits
        alarm = commits.map { FeedWaiter(following: $0) }
    }

    func stop() {
        isActive = false
        alarm?.raise(.end)
        gate.open()
    }

    /// What follows came after the client began to pull: it may have what was deleted.
    func endInitialPull() {
        request.activeOnly = false
    }

    /// Waits for a commit since the feed was read; stops the feed when there will be none.
    func commit(isolation: isolated (any Actor)? = #isolation) async {
        guard isActive, let alarm, let events = try? await alarm.next(), !events.contains(.end) else { return stop() }
    }

    /// Waits until one more `changes` message may be sent, and takes its place.
    func place(limit: Int, isolation: isolated (any Actor)? = #isolation) async {
        while inFlight >= limit, isActive {
            await gate.wait()
        }
        inFlight += 1
    }

    /// Waits until nothing is in flight, and what was to be confirmed is stored.
    func settle(isolation: isolated (any Actor)? = #isolation) async {
        while inFlight > 0 || unstored > 0, isActive {
            await gate.wait()
        }
    }

    func noteUnstored() {
        unstored += 1
    }

    func noteStored() {
        unstored -= 1
        gate.open()
    }

    /// Waits for something to change.
    func change(isolation: isolated (any Actor)? = #isolation) async {
        await gate.wait()
    }

    /// Wakes who waits for a change.
    func tell() {
        gate.open()
    }

    /// Takes a place for what was sent already and has to be sent again.
    func takePlace() {
        inFlight += 1
    }

    func leavePlace() {
        inFlight -= 1
        gate.open()
    }
}
