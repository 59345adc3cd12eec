import Cutover

extension World {
    /// Replicates once with the legacy upstream, during an event of the upstream.
    func replicate(_ direction: Direction, _ trouble: Trouble) async throws -> String {
        guard let server = upstreams[.legacy] else { return "there is none" }
        guard let direction = allowed(direction, with: .legacy) else { return "not at this stage" }
        guard let place = server.place as? SQLitePlace else { return "it cannot be replaced" }
        var result: [String] = []
        // Each direction of the replication has connections of its own. A server is restored once.
        for step in [Direction.pull, .push] where direction == .both || direction == step {
            if case .restored = trouble {
                guard let backup = backups[.legacy] else { return "there is no backup" }
                let substitute = try await server.substitute(from: backup.file, in: place)
                let (traffic, isWhole, hasCome) = try await bridge.replicate(
                    withLegacy: server, step, LegacyTransport.Troubled(trouble, restored: substitute.responder))
                result.append("\(traffic)\(isWhole ? "" : "; cut")")
                guard hasCome else {
                    try await substitute.site.close()
                    try place.discardBeside()
                    continue
                }
                try await recordLoss(of: server, .legacy, backup) { try await server.handOver(to: substitute.site) }
                ledger.happen(trouble.happening)
                return result.joined(separator: ", then ")
            }
            let (traffic, isWhole, hasCome) = try await bridge.replicate(
                withLegacy: server, step, LegacyTransport.Troubled(trouble, restored: nil))
            result.append("\(traffic)\(isWhole ? "" : "; cut")")
            if hasCome { ledger.happen(trouble.happening) }
        }
        return result.joined(separator: ", then ")
    }
}
