import Documents
import Gateway
import Logging
import ModernProtocol

/// Delivery of winners to clients whose edits were refused, where the feed does not send them.
///
/// A client that edited its copy and receives a conflict waits for the winner to arrive by the feed before it resolves the conflict and pushes
/// again (LiteCore, Pusher.cc, `_conflictsIMightRetry`). The feed does not send the winner
///
/// - of a document that was moved to another collection,
/// - to a 4.x client that has passed its row: a first pull leaves tombstones out, and LiteCore 4.1 passes rows that it answers with an error.
///
/// The server therefore sends the winner to this client alone, at the position that the feed has reached: immediately if the client's pull is
/// continuous, else before the end of the client's next pull, over any connection.
extension ModernSession {
    /// Sends the winners of refused documents: now if a continuous pull has caught up, else before the next caught-up message.
    ///
    /// A document may be moved before the client pulls, so all refused documents stay recorded until a pull has caught up.
    func resendMoved(_ refused: [String], in handle: CollectionHandle) async throws {
        guard let collection = collections[handle], !refused.isEmpty else { return }
        var contested = refused
        if let reached = collection.pull.reached {
            contested = try await blockingRows(refused, at: reached.position, in: handle, collection).map(\.id)
            guard !contested.isEmpty else { return }
        }
        try await contest(contested, in: collection)
        let ids = contested.map { ExactString($0) }
        collection.contested.formUnion(ids.prefix(max(0, limits.proposals - collection.contested.count)))
        guard let reached = collection.pull.reached, reached.request.isContinuous else { return }
        try await sendBlockingRevisions(reached.request, at: reached.position, handle, collection)
    }

    /// Stores documents under the client's checkpoint ID.
    private func contest(_ documents: [String], in collection: SessionCollection) async throws {
        guard let client = collection.checkpoint else { return }
        try await collection.keyspace.contest(documents.map { ExactString($0) }, of: client, limit: limits.proposals)
    }

    /// The rows of winners that the client does not get by its feed after a position.
    private func blockingRows(
        _ ids: [String], at position: FeedPosition, in handle: CollectionHandle, _ collection: SessionCollection
    ) async throws -> [ChangeRow] {
        let rows = try await collection.keyspace.blocking(ids, at: position, includesPassed: subprotocol.hasVersions)
        return rows.filter { row in
            if collection.isUnreadable(row.id) { return true }
            // The client has the revision, or is about to get it.
            let revision = RevisionID(row.revision)?.modernAlias.text
            return collection.sent[row.id] != revision && feedDelivering([ExactString(row.id)], to: handle) == nil
        }
    }

    /// Records that the client could not read a row that came alone: its next pull gets the row again.
    ///
    /// An upgraded database cannot read a document between a version that it got and the resolution of the conflict with an older edit (LiteCore
    /// 4.1.0, `fl_callback`).
    func recordUnreadable(_ announced: AnnouncedChanges) {
        guard let collection = collections[announced.collection], let row = announced.rows.first, !row.isDeparture else { return }
        guard collection.recordUnreadable(row.id, limit: limits.proposals) else { return }
        let (id, handle) = (row.id, announced.collection)
        jobs.append { await $0.storeUnreadable(id, in: handle) }
    }

    private func storeUnreadable(_ id: String, in handle: CollectionHandle) async {
        guard let collection = collections[handle] else { return }
        do {
            try await contest([id], in: collection)
        } catch {
            logger.warning("a row that a client could not read cannot be recorded", metadata: ["error": "\(error)"])
        }
    }

    /// Sends the current revisions of contested documents that the feed does not send.
    ///
    /// - Returns: The feed that sends them; `nil` if there are none.
    @discardableResult
    func sendBlockingRevisions(
        _ request: SubChanges, at position: FeedPosition, _ handle: CollectionHandle, _ collection: SessionCollection
    )
        async throws -> ChangesFeed?
    {
        let keyspace = collection.keyspace
        var contested = collection.contested
        collection.contested = []
        if let client = collection.checkpoint {
            // The client can read a document again that it could not read over this connection, once it has pushed an edit of it.
            contested.formUnion(try await keyspace.contested(by: client).filter { !collection.isUnreadable($0.string) })
        }
        guard !contested.isEmpty, !isEnded else { return nil }
        let rows = try await blockingRows(contested.map(\.string).sorted(), at: position, in: handle, collection)
        let versions = subprotocol.hasVersions ? try await keyspace.versions(of: rows) : []
        var message = ChangesMessage(subprotocol, takesRevocations: request.takesRevocations)
        for (index, row) in rows.enumerated() {
            message.append(row, version: versions.isEmpty ? nil : versions[index], isMoved: true)
        }
        // Uses a separate feed: the client's feed may have ended, and waits for its own messages.
        let feed = ChangesFeed(request)
        if !message.rows.isEmpty {
            let announced = AnnouncedChanges(collection: handle, feed: feed, rows: message.rows)
            feed.addInFlight()
            guard send(message.request(collection.properties()), awaiting: .changes(announced)) != nil else { return nil }
        }
        if let client = collection.checkpoint {
            collection.resent.append(ResentDocuments(ids: contested, client: client, feed: feed))
            jobs.append { await $0.recordDelivery(in: handle) }
        }
        return feed
    }

    /// Removes the record of contested documents once the client has their winners.
    private func recordDelivery(in handle: CollectionHandle) async {
        guard let collection = collections[handle], !collection.resent.isEmpty else { return }
        let delivered = collection.resent.removeFirst()
        await delivered.feed.waitUntilIdle()
        guard delivered.feed.isActive else { return }
        let (keyspace, client) = (collection.keyspace, delivered.client)
        let ids = delivered.ids.filter { !collection.isUnreadable($0.string) }
        do {
            // The client may disconnect at this point, which cancels the current task; the write must still complete.
            try await Task { try await keyspace.settle(ids, of: client) }.value
        } catch {
            // The documents are sent once more.
            logger.warning("the delivery of contested documents cannot be recorded; they are sent again", metadata: ["error": "\(error)"])
        }
    }
}

/// Documents that are being sent to a client because the server refused its edits of them.
struct ResentDocuments {
    let ids: Set<ExactString>

    /// The name of the client's checkpoint.
    let client: String

    /// The feed that sends them.
    let feed: ChangesFeed
}

/// A client purges a document as soon as it reads the row that removes it (LiteCore, RevFinder.cc, `findRevs`). A revision that arrives
/// after that row would restore the document, and no later row would remove it again.
extension ModernSession {
    /// Waits until the client has received all outstanding revisions of the documents that the rows remove.
    @inline(never)
    func waitForRevisions(departingIn rows: [AnnouncedRow], of handle: CollectionHandle, _ feed: ChangesFeed) async {
        let ids = Set(rows.lazy.filter(\.isDeparture).map { ExactString($0.id) })
        guard !ids.isEmpty else { return }
        while feed.isActive, !isEnded, let other = feedDelivering(ids, to: handle) {
            await other.waitForChange()
        }
        // A short message overtakes one of several frames.
        await waitUntilRequestsSent()
    }

    /// A feed that may still deliver a revision of one of these documents.
    ///
    /// The client may request the revision, has requested it, or has not stored it. The feed may belong to an earlier pull of the
    /// collection or to the delivery of moved documents.
    private func feedDelivering(_ ids: Set<ExactString>, to handle: CollectionHandle) -> ChangesFeed? {
        wanted.first { $0.collection == handle && $0.concerns(ids) }?.feed
            ?? awaited.values.first { $0.concerns(ids, in: handle) }?.feed
    }
}
