import Documents
import Gateway
import Logging
import ModernProtocol

/// A document that was moved to another collection stands in this one's feed no longer. A client that has edited its copy here, and is told that
/// another revision has won, waits for that revision to come by the feed before it resolves the conflict and pushes again (LiteCore, Pusher.cc,
/// `_conflictsIMightRetry`). So it comes by itself, to this client alone, at the place that the feed has reached: at once where the client's pull
/// goes on, else with the pull that comes next, over whatever connection, before its end.
extension ModernSession {
    /// Has those of refused documents come that the feed will not bring: now, or before the client hears that there is nothing more.
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
        guard let reached = collection.pull.reached, reached.request.isContinuous else { return }
        try await sendBlockingRevisions(reached.request, at: reached.position, handle, collection)
    }

    /// - Returns: the feed by which they are sent; `nil` if there are none.
    @discardableResult
    func sendBlockingRevisions(
        _ request: SubChanges, at position: FeedPosition, _ handle: CollectionHandle, _ collection: SessionCollection
    )
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
        }
        if let client = collection.checkpoint {
            collection.shown.append(ResentDocuments(ids: contested, client: client, feed: feed))
            jobs.append { await $0.advanceShownMark(in: handle) }
        }
        return feed
    }

    /// Forgets what stood in the way of a client's edits, once it has it.
    private func advanceShownMark(in handle: CollectionHandle) async {
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

/// Moved documents that a client is being shown because its edits of them were refused.
struct ResentDocuments {
    let ids: Set<ExactString>

    /// The name of the client's checkpoint.
    let client: String

    /// By which they are sent.
    let feed: ChangesFeed
}

/// A client purges a document as soon as it reads the row that takes it away (LiteCore, RevFinder.cc, `findRevs`). A revision that comes after
/// that row would bring the document back, and no row would take it away again.
extension ModernSession {
    /// Waits until the client has all revisions on their way to it of documents that rows are about to take away.
    @inline(never)
    func settle(documentsThatLeaveBy rows: [AnnouncedRow], of handle: CollectionHandle, _ feed: ChangesFeed) async {
        let ids = Set(rows.lazy.filter(\.isDeparture).map { ExactString($0.id) })
        guard !ids.isEmpty else { return }
        while feed.isActive, !isEnded, let other = feedDelivering(ids, to: handle) {
            await other.change()
        }
        // A short message overtakes one of several frames.
        await departureOfRequests()
    }

    /// A feed by which the client may yet get a revision of one of these documents: the client may ask for it, has asked for it, or has not stored it.
    /// It may be an earlier pull of the collection, or the feed that shows moved documents.
    private func feedDelivering(_ ids: Set<ExactString>, to handle: CollectionHandle) -> ChangesFeed? {
        wanted.first { $0.collection == handle && $0.concerns(ids) }?.feed
            ?? awaited.values.first { $0.concerns(ids, in: handle) }?.feed
    }
}
