import Cutover
import Storage

extension World {
    /// Moves a device from the old server to the bridge, or back. It keeps its checkpoints.
    func repoint(_ client: Int) async throws -> String {
        guard let old = upstreams[.legacy], readers[client] == nil else { return "nowhere to go" }
        switch clients[client].generation {
        case .first where !old.refusesBranches: ledger.happen(.repointed)
        case .second:
            // Only at `dual`, and back only when the old server has all writes of moved devices (docs/cutover-runbook.md).
            guard stage == .dual else { return "not at this stage" }
            if homes[client] === bridge, try await !isComplete(old) { return "the old server has less" }
            ledger.happen(.repointedModern)
            ledger.recordMove(of: clients[client].name)
        default: return "nowhere to go"
        }
        homes[client] = homes[client] === old ? bridge : old
        if homes[client] === bridge { isBehind = true }
        // The bridge replaces a position of its own in a feed that it passes on to the old server.
        if homes[client] === old { (clients[client] as? SimulatedLegacyClient)?.running = nil }
        return "to the \(homes[client].name)"
    }

    /// Whether the old server has everything that the bridge has, after a push.
    private func isComplete(_ old: Node) async throws -> Bool {
        _ = try await replicate(.legacy, .push, nil)
        return try await parked(by: .legacy).allSatisfy { $0.direction == .pull }
    }
}
