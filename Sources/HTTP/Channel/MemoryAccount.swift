import Synchronization

/// How much memory clients' data takes in the whole process, and a limit to it: bodies of requests, unfinished messages, what waits to be written or sent.
///
/// Each holder has a ``MemoryShare``. Where there is not enough for all, the holder of most gives way: it is told to let go if it can be, and refused
/// more if it is the one that asks.
public final class MemoryAccount: Sendable {
    private struct Holder {
        var bytes = 0
        /// Tells it to let go; `nil` for one that cannot.
        let evict: (@Sendable () -> Void)?
        var isLeaving = false
    }

    private struct State {
        var limit: Int
        var used = 0
        /// Of holders that have been told to let go.
        var leaving = 0
        var refusals: UInt64 = 0
        var nextID: UInt64 = 0
        var holders: [UInt64: Holder] = [:]
    }

    private enum Verdict {
        /// What tells another to let go, if there is not enough for both.
        case granted(eviction: (@Sendable () -> Void)?)
        case refused
    }

    private let state: Mutex<State>

    /// - Parameter limit: The most bytes.
    public init(limit: Int = .max) {
        state = Mutex(State(limit: limit))
    }

    /// The most bytes. A lower one than before evicts nobody until somebody asks for more.
    public var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Bytes that are held now.
    public var used: Int { state.withLock { $0.used } }

    /// How often somebody was refused or told to let go.
    public var refusals: UInt64 { state.withLock { $0.refusals } }

    /// A share that has nothing yet. It gives everything back when nobody has it any more.
    ///
    /// - Parameter evict: Told that the share has to be let go of, because others need what it has. It has to be quick. `nil` if it cannot.
    public func share(evict: (@Sendable () -> Void)? = nil) -> MemoryShare { MemoryShare(self, evict: evict) }

    fileprivate func resize(_ id: UInt64?, to bytes: Int, evict: (@Sendable () -> Void)?) -> (id: UInt64?, isGranted: Bool) {
        let (id, verdict) = state.withLock { state -> (UInt64?, Verdict) in
            let held = id.flatMap { state.holders[$0]?.bytes } ?? 0
            let (sum, isTooMuch) = (state.used - held).addingReportingOverflow(bytes)
            let verdict = bytes <= held ? .granted(eviction: nil) : isTooMuch ? .refused : Self.verdict(&state, sum, bytes, besides: id)
            if case .refused = verdict {
                state.refusals += 1
                return (id, .refused)
            }
            let id =
                id
                ?? {
                    state.nextID += 1
                    state.holders[state.nextID] = Holder(evict: evict)
                    return state.nextID
                }()
            state.holders[id]?.bytes = bytes
            state.used = sum
            if state.holders[id]?.isLeaving == true { state.leaving += bytes - held }
            return (id, verdict)
        }
        guard case .granted(let eviction) = verdict else { return (id, false) }
        eviction?()
        return (id, true)
    }

    /// Whether there may be `sum` bytes, of which `bytes` are the asker's. What is about to be let go of counts as gone.
    private static func verdict(_ state: inout State, _ sum: Int, _ bytes: Int, besides id: UInt64?) -> Verdict {
        guard sum - state.leaving > state.limit else { return .granted(eviction: nil) }
        let largest = state.holders.filter { $0.key != id && $0.value.evict != nil && !$0.value.isLeaving }.max {
            $0.value.bytes < $1.value.bytes
        }
        guard let largest, let evict = largest.value.evict, largest.value.bytes > bytes else { return .refused }
        state.holders[largest.key]?.isLeaving = true
        state.leaving += largest.value.bytes
        state.refusals += 1
        return .granted(eviction: evict)
    }

    fileprivate func giveBack(_ id: UInt64) {
        state.withLock { state in
            guard let holder = state.holders.removeValue(forKey: id) else { return }
            state.used -= holder.bytes
            if holder.isLeaving { state.leaving -= holder.bytes }
        }
    }
}

/// What one request or connection holds of a ``MemoryAccount``.
public final class MemoryShare: Sendable {
    private let account: MemoryAccount
    private let evict: (@Sendable () -> Void)?
    private let id = Mutex<UInt64?>(nil)

    fileprivate init(_ account: MemoryAccount, evict: (@Sendable () -> Void)?) {
        self.account = account
        self.evict = evict
    }

    /// Whether there may ever be so many bytes at a time.
    public func canHold(_ bytes: Int) -> Bool { bytes <= account.limit }

    /// Says how many bytes it holds now.
    ///
    /// - Returns: Whether it may. If not, it stands as before, and its holder has to let go of what is new.
    public func resize(to bytes: Int) -> Bool {
        id.withLock { id in
            guard id != nil || bytes > 0 else { return true }
            let (newID, isGranted) = account.resize(id, to: max(0, bytes), evict: evict)
            id = newID
            return isGranted
        }
    }

    deinit {
        if let id = id.withLock({ $0 }) { account.giveBack(id) }
    }
}
