import Gateway

/// A document that was moved to another collection stands in this one's feed no longer. A client that has edited its copy here, and is told that
/// another revision has won, waits for that revision to come by the feed before it resolves the conflict and pushes again (LiteCore, Pusher.cc,
/// `_conflictsIMightRetry`). So it comes by itself, to this client alone, at the place that the feed has reached.
extension ModernSession {
    /// Has those of refused documents come that the feed will not bring: now, or before a pull that goes on hears that there is nothing more.
    func show(_ refused: [String], in handle: CollectionHandle) async throws {
        guard let collection = collections[handle], !refused.isEmpty else { return }
        let room = max(0, limits.proposals - collection.contested.count)
        collection.contested.formUnion(refused.prefix(room))
        if let reached = collection.pull.reached { try await showContested(reached.request, at: reached.position, handle, collection) }
    }

    func showContested(_ request: SubChanges, at position: FeedPosition, _ handle: CollectionHandle, _ collection: SessionCollection)
        async throws
    {
        guard !collection.contested.isEmpty else { return }
        let ids = collection.contested.sorted()
        collection.contested = []
        let rows = try await collection.keyspace.moved(ids, at: position)
        let versions = subprotocol.hasVersions ? try await collection.keyspace.versions(of: rows) : []
        var message = ChangesMessage(subprotocol, takesRevocations: request.takesRevocations)
        for (index, row) in rows.enumerated() {
            message.append(row, version: versions.isEmpty ? nil : versions[index], isMoved: true)
        }
        guard !message.rows.isEmpty, !isEnded else { return }
        // A feed of their own: the client's may have ended, and has its own messages to wait for.
        let feed = ChangesFeed(request)
        let announced = AnnouncedChanges(collection: handle, feed: feed, rows: message.rows)
        feed.takePlace()
        _ = send(message.request(collection.properties()), awaiting: .changes(announced))
    }
}
