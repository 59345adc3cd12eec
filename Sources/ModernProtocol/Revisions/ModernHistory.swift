package import Documents

/// The ancestors of a revision in LiteCore's form (docs/protocol/modern-2x.md#history).
package enum ModernHistory {
    /// The maximum length of a history if the peer sends no limit: LiteCore's own default.
    package static let defaultLimit = 50

    /// The maximum length of a sent history, regardless of the peer's limit; a longer one would not fit into a message's properties.
    package static let longestLimit = 1_000

    /// The value of the property `history`; `nil` if there are no ancestors to send.
    ///
    /// - Parameters:
    ///   - history: The revision and its ancestors, the newest first, by their stored IDs.
    ///   - known: Revisions that the client has. The history ends with the first of them.
    ///   - limit: The maximum number of revisions, including the first. If the limit cuts off the known ancestor, that ancestor replaces
    ///     the last one.
    package static func property(_ history: [RevisionID], known: Set<RevisionID>, limit: Int) -> String? {
        guard history.count > 1 else { return nil }
        var end = history.count
        if let ancestor = history.dropFirst().firstIndex(where: known.contains) { end = ancestor + 1 }
        var connected = filled(history[..<end], limit: limit)
        if connected.count == limit, limit > 1, known.contains(history[end - 1]) {
            connected[limit - 1] = history[end - 1].modernAlias
        }
        return RevisionHistory.property(connected)
    }

    /// LiteCore refuses histories with gaps. Like LiteCore, this fills the gaps of pruned revisions with artificial IDs.
    private static func filled(_ history: ArraySlice<RevisionID>, limit: Int) -> [RevisionID] {
        var result: [RevisionID] = []
        for id in history {
            if let descendant = result.last {
                var generation = descendant.generation - 1
                while generation > id.generation, result.count < limit {
                    result.append(descendant.artificialAncestor(generation: generation))
                    generation -= 1
                }
            }
            guard result.count < limit else { break }
            result.append(id.modernAlias)
        }
        return result
    }
}
