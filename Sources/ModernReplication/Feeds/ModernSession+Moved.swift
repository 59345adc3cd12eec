import Documents
import Gateway
import Logging

/// A document that was moved to another collection stands in this one's feed no longer. A client that has edited its copy here, and is told that
/// another revision has won, waits for that revision to come by the feed before it resolves the conflict and pushes again (LiteCore, Pusher.cc,
/// `_conflictsIMightRetry`). So it comes by itself, to this client alone, at the place that the feed has reached: over this connection or, where
/// the client pushes and pulls over connections of their own, when the one that pulls has reached the feed's end.
extension ModernSession {
    /// Has those of refused documents come that the feed will not bring: now, or before a pull that goes on hears that there is nothing more.
    ///
    /// One that is here now may be moved before the client pulls, so all are kept until a pull has come to its end.
    func show(_ refused: [String], in handle: CollectionHandle) async throws {
        guard let collection = collections[handle], !refused.isEmpty else { return }
        var contested = refused
        if let reached = collection.pull.reached {
            contested = try await collection.keyspace.moved(refused, at: reached.position).map(\.id)
            guard !contested.isEmpty else { return }
        }
        let ids = contested.map { ExactString($0) }
        if let client = collection.checkpoint { try await collection.keyspace.contest(ids, of: client, limit: limits.proposals) }
        collection.contested.formUnion(ids.prefix(max(0, limits.proposals - collection.contested.count)))
        if let reached = collection.pull.reached { try await showContested(reached.request, at: reached.position, handle, collection) }
    }

    /// - Returns: What their rows are announced by; `nil` if there are none.
    @discardableResult
    func showContested(_ request: SubChanges, at position: FeedPosition, _ handle: CollectionHandle, _ collection: SessionCollection)
        async throws -> ChangesFeed?
    {
        let keyspace = collection.keyspace
        var contested = collection.contested
        collection.contested = []
        if let client = collection.checkpoint { contested.formUnion(try await keyspace.contested(by: client)) }
        guard !contested.isEmpty, !isEnded else { return nil }
        let rows = try await keyspace.moved(contested.map(\.string).sorted(), at: position)
        let versions = subprotocol.hasVersions ? try await keyspace.versions(of: rows) : []
        var message = ChangesMessage(subprotocol, takesRevocations: request.takesRevocations)
        for (index, row) in rows.enumerated() {
            message.append(row, version: versions.isEmpty ? nil : versions[index], isMoved: true)
        }
        // A feed of their own: the client's may have ended, and has its own messages to wait for.
        let feed = ChangesFeed(request)
        if !message.rows.isEmpty {
            let announced = AnnouncedChanges(collection: handle, feed: feed, rows: message.rows)
            feed.takePlace()
            guard send(message.request(collection.properties()), awaiting: .changes(announced)) != nil else { return nil }
            feed.noteAnnounced()
        }
        guard let client = collection.checkpoint else { return feed }
        collection.shown.append(ShownDocuments(ids: contested, client: client, feed: feed))
        jobs.append { await $0.settleShown(in: handle) }
        return feed
    }

    /// Forgets what stood in the way of a client's edits, once it has it.
    private func settleShown(in handle: CollectionHandle) async {
        guard let collection = collections[handle], !collection.shown.isEmpty else { return }
        let shown = collection.shown.removeFirst()
        await shown.feed.settle()
        guard shown.feed.isActive else { return }
        let (keyspace, ids, client) = (collection.keyspace, shown.ids, shown.client)
        do {
            // A client that has what it wanted disconnects, and this task is cancelled.
            try await Task { try await keyspace.settle(ids, of: client) }.value
        } catch {
            // It is shown once more.
            logger.warning("what was shown of moved documents cannot be noted", metadata: ["error": "\(error)"])
        }
    }
}
