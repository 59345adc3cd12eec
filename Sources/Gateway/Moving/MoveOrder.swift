import Foundation
package import Storage

/// An administrator's order to carry out or revert a run of moves. It is in the store until the run ends or is paused, so that the next process, or
/// the bridge that takes the work over, goes on with the run.
package struct MoveOrder: Hashable, Sendable, Codable {
    /// The run's key.
    package let run: Int64
    package let reverts: Bool
    package let allowsNewGrants: Bool

    /// The name of the store's setting.
    private static let setting = "moves.order"

    /// Reads the order; `nil` if there is none.
    init?(in snapshot: any StoreSnapshot) throws {
        guard let text = try snapshot.setting(Self.setting) else { return nil }
        guard let order = try? JSONDecoder().decode(MoveOrder.self, from: Data(text.utf8)) else {
            throw GatewayError(.unavailable, "The store's record of the migration in progress cannot be read; run `dualgauge check`")
        }
        self = order
    }

    init(_ run: MoveRun, reverts: Bool, allowsNewGrants: Bool = false) {
        (self.run, self.reverts, self.allowsNewGrants) = (run.key, reverts, allowsNewGrants)
    }

    func write(in transaction: any StoreTransaction) throws {
        try transaction.set(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), forSetting: Self.setting)
    }

    /// Removes the order for a run that has ended; `nil` for any run.
    static func withdraw(of run: MoveRun?, in transaction: any StoreTransaction) throws {
        guard let order = try MoveOrder(in: transaction), run == nil || order.run == run?.key else { return }
        try transaction.set(nil, forSetting: setting)
    }
}

extension Database {
    /// The order that has not been carried out; `nil` if there is none.
    package func moveOrder() async throws -> MoveOrder? { try await store.read { try MoveOrder(in: $0) } }

    /// Begins or resumes the run with the present routes, by order of an administrator.
    package func orderMoves(allowsNewGrants: Bool) async throws -> MoveRun {
        let routes = routesFingerprint
        return try await store.write { transaction in
            let run = try Self.beginMoves(fingerprint: routes, in: transaction)
            try MoveOrder(run, reverts: false, allowsNewGrants: allowsNewGrants).write(in: transaction)
            return run
        }
    }

    /// Records the order of an administrator to revert a run.
    package func orderRevert(of run: MoveRun) async throws {
        try await store.write { try MoveOrder(run, reverts: true).write(in: $0) }
    }

    /// Removes the order, so that nobody goes on with the run.
    package func withdrawMoveOrder() async throws {
        try await store.write { try MoveOrder.withdraw(of: nil, in: $0) }
    }
}
