import Coordination
import Storage

/// A bridge's lease of the work that must run once, as the server's `WorkLease` has it, on the world's clock.
final class SimulatedLease: Sendable {
    private let id: String
    private let state: Lock<(member: BridgeMember, running: Int64?)>

    /// - Parameter id: Names one process of a bridge.
    init(_ id: String) {
        self.id = id
        state = Lock((BridgeMember(id: id, name: id, started: 0), nil))
    }

    /// Whether the bridge believes that the work is its own.
    var isHeld: Bool { state.withLock { $0.running != nil } }

    /// Gives a sign of life, and takes the lease if it is free.
    func beat(_ store: any Store, at time: Duration) async throws {
        let member = state.withLock { $0.member }
        let next = try await store.write { transaction in
            var roster = try BridgeRoster(in: transaction)
            let next = member.beating(&roster, at: time, clients: 0)
            try roster.write(in: transaction)
            return next
        }
        state.withLock { $0 = (next, next.lease) }
    }

    /// Leaves the roster, as a bridge that stops in order.
    func leave(_ store: any Store) async throws {
        let member = state.withLock { $0.member }
        try await store.write { transaction in
            var roster = try BridgeRoster(in: transaction)
            member.leave(&roster)
            try roster.write(in: transaction)
        }
        state.withLock { $0.running = nil }
    }

    /// Throws in a write of the work if another bridge does it now.
    func check(_ transaction: any StoreTransaction) throws {
        let fence = state.withLock { $0.running }
        guard let fence, try BridgeRoster(in: transaction).permits(id, fence) else {
            throw StorageError(.fenced, "Another bridge does this work now.")
        }
    }
}
