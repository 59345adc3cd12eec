extension World {
    /// Gives a client other channels, while it is away or in the middle of a replication.
    ///
    /// - Parameter position: before which message of a replication; `nil` while it is away.
    func regrant(_ client: Int, _ channels: Set<String>, during position: Int?) async throws -> String {
        guard let reader = readers[client] else { return "it may see everything" }
        let (isGrant, isRevocation) = (!channels.isSubset(of: reader.channels), !reader.channels.isSubset(of: channels))
        guard let position else {
            try await bridge.set(channels, of: reader)
            if isGrant { ledger.happen(.grantedAway) }
            if isRevocation { ledger.happen(.revokedAway) }
            return ""
        }
        var isDone = false
        let (bridge, ledger) = (bridge, ledger)
        let result = try await replicate(
            client, .both, nil,
            interlude: Line.Interlude(position: position) {
                try await bridge.set(channels, of: reader)
                isDone = true
            })
        // The replication was shorter than that.
        guard isDone else {
            try await bridge.set(channels, of: reader)
            return result
        }
        if isGrant { ledger.happen(.grantedConnected) }
        if isRevocation { ledger.happen(.revokedConnected) }
        return result
    }
}
