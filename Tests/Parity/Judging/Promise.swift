/// What a bridge promises of a whole pull, whatever a Sync Gateway does: the client has what its user may see, and nothing else.
struct Promise {
    let client: Client
    let past: Past

    /// What the promise is broken by.
    ///
    /// - Parameters:
    ///   - held: what the client has.
    ///   - listed: what its user may see.
    func breaches(held: [String: Set<String>], listed: [String: Set<String>]) -> [String] {
        // What certain channels have is not known here.
        guard client.channels == nil else { return [] }
        var breaches = listed.filter { !$0.value.isSubset(of: held[$0.key] ?? []) }.map { "\($0.key) is in sight and not with the client" }
        if isToldOfLosses {
            breaches += held.keys.filter { listed[$0] == nil && !mayBeInSight($0) }.map { "\($0) is out of sight and with the client" }
        }
        return breaches.sorted()
    }

    /// Over BLIP clients of 3.x hear of losses if they want to, and nobody does while it asks for what is there alone.
    private var isToldOfLosses: Bool { !client.activeOnly && (client.revocations || client.feed != .blip) }

    /// Whether a branch may be in sight of a document that is not.
    private func mayBeInSight(_ id: String) -> Bool { client.allLeaves && past.hasBranches(id, in: client.keyspace) }
}
