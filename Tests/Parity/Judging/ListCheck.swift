/// The bridge's own consistency after a whole pull, independent of a Sync Gateway: the client has exactly the documents that its user may see.
struct ListCheck {
    let client: Client
    let past: Past

    /// The contradictions.
    ///
    /// - Parameters:
    ///   - held: the client's documents.
    ///   - listed: the documents that its user may see.
    func breaches(held: [String: Set<String>], listed: [String: Set<String>]) -> [String] {
        // The list does not show which documents are in certain channels.
        guard client.channels == nil else { return [] }
        var breaches = listed.filter { !$0.value.isSubset(of: held[$0.key] ?? []) }.map { "\($0.key) is in sight and not with the client" }
        if getsLosses {
            breaches += held.keys.filter { listed[$0] == nil && !mayBeInSight($0) }.map { "\($0) is out of sight and with the client" }
        }
        return breaches.sorted()
    }

    /// Over BLIP only 3.x clients with revocations get losses, and no client that asks for active documents only.
    private var getsLosses: Bool { !client.activeOnly && (client.revocations || client.feed != .blip) }

    /// Whether a branch of a document may be visible although the document is not listed.
    private func mayBeInSight(_ id: String) -> Bool { client.allLeaves && past.hasBranches(id, in: client.keyspace) }
}
