/// A client's pull of a collection: how it goes on. Belongs to its session.
final class ChangesFeed {
    private(set) var request: SubChanges

    /// False when the client has ended it, or the connection has.
    private(set) var isActive = true

    /// `changes` messages whose answers have not come or whose revisions have not all been sent.
    private(set) var inFlight = 0

    /// Revisions of which the client has yet to say that it has stored them.
    private var unstored = 0

    /// Counts the commits that may have brought something, so that none is missed that comes while the feed is being read.
    private(set) var commits = 0

    private let gate = Gate()

    init(_ request: SubChanges) {
        self.request = request
    }

    func stop() {
        isActive = false
        gate.open()
    }

    /// What follows came after the client began to pull: it may have what was deleted.
    func endInitialPull() {
        request.activeOnly = false
    }

    func noteCommit() {
        commits += 1
        gate.open()
    }

    /// Waits for a commit after the first `count`.
    func commit(after count: Int, isolation: isolated (any Actor)? = #isolation) async {
        while commits == count, isActive {
            await gate.wait()
        }
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
