import Synchronization

/// The edits of all writers: for each document the number of the last one that was sent, and of the last one that was acknowledged.
final class WriteLedger: Sendable {
    struct Entry {
        /// The latest edit that the bridge has acknowledged; 0 for none.
        var acknowledged = 0

        /// The latest edit that was sent.
        var sent = 0
    }

    private let state = Mutex<[String: Entry]>([:])
    private let total = Mutex(0)

    var entries: [String: Entry] { state.withLock { $0 } }

    /// Edits that were acknowledged.
    var acknowledged: Int { total.withLock { $0 } }

    func send(_ id: String, _ number: Int) {
        state.withLock { $0[id, default: Entry()].sent = number }
    }

    func acknowledge(_ id: String, _ number: Int) {
        state.withLock { $0[id, default: Entry()].acknowledged = number }
        total.withLock { $0 += 1 }
    }
}
