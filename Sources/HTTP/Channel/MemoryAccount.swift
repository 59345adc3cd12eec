import Coordination
import CoreMetrics
package import Telemetry

/// Accounts for the memory of clients' data in the whole process, with a limit: request bodies, incomplete messages, queued writes.
///
/// Each holder has a ``MemoryShare``. When the limit is reached, the largest other holder that can be evicted is evicted. If none of these is
/// larger than the requester, the request is refused.
package final class MemoryAccount: Sendable {
    private struct Holder {
        var bytes = 0
        /// Asks the holder to release its memory; `nil` for a holder that cannot be evicted.
        let evict: (@Sendable () -> Void)?
        var isEvicting = false
    }

    private struct State {
        var limit: Int
        var used = 0
        /// The bytes of holders that are being evicted.
        var evicting = 0
        var nextID: UInt64 = 0
        var holders: [UInt64: Holder] = [:]
    }

    private enum Decision {
        /// `eviction` evicts another holder, if the memory does not suffice for both.
        case granted(eviction: (@Sendable () -> Void)?)
        case refused
    }

    private let state: Lock<State>
    private let metrics: MetricsRegistry
    private let refused: Counter

    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - metrics: Receives the count of refusals and evictions.
    package init(limit: Int = .max, metrics: MetricsRegistry = MetricsRegistry()) {
        state = Lock(State(limit: limit))
        self.metrics = metrics
        refused = metrics.counter(.memoryRefusals)
    }

    /// The maximum number of bytes. Lowering it evicts no holder until the next request for memory.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// The number of bytes in use.
    package var used: Int { state.withLock { $0.used } }

    /// The number of refusals and evictions.
    package var refusals: Int64 { metrics.count(of: .memoryRefusals) }

    /// Creates an empty share. Its memory is returned when the share is deallocated.
    ///
    /// - Parameter evict: Called when the holder must release its memory for others. It must return quickly. `nil` if eviction is impossible.
    package func share(evict: (@Sendable () -> Void)? = nil) -> MemoryShare { MemoryShare(self, evict: evict) }

    fileprivate func resize(_ id: UInt64?, to bytes: Int, evict: (@Sendable () -> Void)?) -> (id: UInt64?, isGranted: Bool) {
        let (id, decision) = state.withLock { state -> (UInt64?, Decision) in
            let held = id.flatMap { state.holders[$0]?.bytes } ?? 0
            let (sum, isTooMuch) = (state.used - held).addingReportingOverflow(bytes)
            let decision = bytes <= held ? .granted(eviction: nil) : isTooMuch ? .refused : Self.decision(&state, sum, bytes, besides: id)
            if case .refused = decision { return (id, .refused) }
            let id =
                id
                ?? {
                    state.nextID += 1
                    state.holders[state.nextID] = Holder(evict: evict)
                    return state.nextID
                }()
            state.holders[id]?.bytes = bytes
            state.used = sum
            if state.holders[id]?.isEvicting == true { state.evicting += bytes - held }
            return (id, decision)
        }
        guard case .granted(let eviction) = decision else {
            refused.increment()
            return (id, false)
        }
        if let eviction {
            refused.increment()
            eviction()
        }
        return (id, true)
    }

    /// Decides whether the total may be `sum` bytes, of which the requester has `bytes`. Memory that is being evicted does not count.
    private static func decision(_ state: inout State, _ sum: Int, _ bytes: Int, besides id: UInt64?) -> Decision {
        guard sum - state.evicting > state.limit else { return .granted(eviction: nil) }
        let largest = state.holders.filter { $0.key != id && $0.value.evict != nil && !$0.value.isEvicting }.max {
            $0.value.bytes < $1.value.bytes
        }
        guard let largest, let evict = largest.value.evict, largest.value.bytes > bytes else { return .refused }
        state.holders[largest.key]?.isEvicting = true
        state.evicting += largest.value.bytes
        return .granted(eviction: evict)
    }

    fileprivate func release(_ id: UInt64) {
        state.withLock { state in
            guard let holder = state.holders.removeValue(forKey: id) else { return }
            state.used -= holder.bytes
            if holder.isEvicting { state.evicting -= holder.bytes }
        }
    }
}

/// The part of a ``MemoryAccount`` that one request or connection holds.
package final class MemoryShare: Sendable {
    private let account: MemoryAccount
    private let evict: (@Sendable () -> Void)?
    private let id = Lock<UInt64?>(nil)

    fileprivate init(_ account: MemoryAccount, evict: (@Sendable () -> Void)?) {
        self.account = account
        self.evict = evict
    }

    /// Whether this many bytes fit the limit at all.
    package func canHold(_ bytes: Int) -> Bool { bytes <= account.limit }

    /// Sets the number of bytes that the share holds.
    ///
    /// - Returns: Whether the size is granted. If not, the share is unchanged, and the holder must release the additional data.
    package func resize(to bytes: Int) -> Bool {
        id.withLock { id in
            guard id != nil || bytes > 0 else { return true }
            let (newID, isGranted) = account.resize(id, to: max(0, bytes), evict: evict)
            id = newID
            return isGranted
        }
    }

    deinit {
        if let id = id.withLock({ $0 }) { account.release(id) }
    }
}
