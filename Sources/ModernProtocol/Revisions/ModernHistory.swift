package import Documents

/// The ancestors of a revision, as LiteCore takes them (docs/protocol/modern-2x.md#history).
package enum ModernHistory {
    /// The longest history wanted where the other side does not say: LiteCore's own default.
    package static let defaultLimit = 50

    /// The longest that is sent, whatever the other side says; more would not fit into the properties of a message.
    package static let longestLimit = 1_000

    /// The value of the property `history`; `nil` if there is nothing to say.
    ///
    /// - Parameters:
    ///   - history: The revision and its ancestors, the newest first, by their own names.
    ///   - known: Revisions that the client has. The history ends with the first of them.
    ///   - limit: The most revisions, the first included. A known one is kept in the last one's place.
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

    /// LiteCore refuses histories with gaps; it writes made-up IDs for revisions that were pruned, and so do we.
    private static func filled(_ history: ArraySlice<RevisionID>, limit: Int) -> [RevisionID] {
        var result: [RevisionID] = []
        for id in history {
            if let previous = result.last {
                var generation = previous.generation - 1
                while generation > id.generation, result.count < limit, let filler = filler(generation) {
                    result.append(filler)
                    generation -= 1
                }
            }
            guard result.count < limit else { break }
            result.append(id.modernAlias)
        }
        return result
    }

    private static func filler(_ generation: Int) -> RevisionID? {
        let hex = String(generation, radix: 16)
        return RevisionID(generation: generation, digest: "faded000" + String(repeating: "0", count: 16 - hex.count) + hex)
    }
}
