import BLIP
import Gateway
import Logging
import Storage

extension ModernSession {
    /// Starts a client's pull.
    func beginFeed(_ feed: ChangesFeed, of handle: CollectionHandle, _ collection: SessionCollection) {
        if feed.request.isContinuous, !collection.isFollowed {
            collection.isFollowed = true
            // Subscribed before the feed is read, so that no commit falls between.
            let commits = collection.keyspace.follow()
            jobs.append { await $0.follow(commits, for: handle) }
        }
        let keyspace = collection.keyspace
        jobs.append { await $0.pull(handle, keyspace) }
    }

    /// Wakes a collection's feed after each commit that may bring it something.
    private func follow(_ commits: CommitSubscription, for handle: CollectionHandle) async {
        guard let collection = collections[handle] else { return }
        for await _ in commits {
            collection.feed?.noteCommit()
        }
    }

    /// Announces changes, batch by batch, until the client has all or its pull ends.
    private func pull(_ handle: CollectionHandle, _ keyspace: Keyspace) async {
        guard let collection = collections[handle], let feed = collection.feed else { return }
        do {
            if feed.request.isContinuous {
                try await keyspace.database.activity.during(.subChanges) { try await announce(feed, of: handle, collection, keyspace) }
            } else {
                try await announce(feed, of: handle, collection, keyspace)
            }
        } catch {
            await fail(error)
        }
        feed.stop()
        if collection.feed === feed { collection.feed = nil }
    }

    private func announce(_ feed: ChangesFeed, of handle: CollectionHandle, _ collection: SessionCollection, _ keyspace: Keyspace)
        async throws
    {
        let request = feed.request
        let start = request.activeOnly ? FeedPosition(try await keyspace.lastSequence()) : .zero
        var position = request.since
        var message = ChangesMessage(subprotocol, takesRevocations: request.takesRevocations)
        var hasCaughtUp = false
        while feed.isActive {
            let commits = feed.commits
            var batch = try await keyspace.changes(feed.request.query(since: position))
            if feed.request.activeOnly { batch.end(at: start) }
            position = batch.position
            for row in batch.rows {
                message.append(row)
                if message.rows.count >= request.batch { await send(&message, feed, handle, collection) }
            }
            let isInitial = feed.request.activeOnly
            if position >= start { feed.endInitialPull() }
            guard batch.isCaughtUp || isInitial != feed.request.activeOnly else { continue }
            if !message.rows.isEmpty { await send(&message, feed, handle, collection) }
            message = ChangesMessage(subprotocol, takesRevocations: feed.request.takesRevocations)
            guard batch.isCaughtUp else { continue }
            if !hasCaughtUp, feed.isActive {
                hasCaughtUp = true
                _ = send(ChangesMessage.caughtUp(collection.properties()))
            }
            guard request.isContinuous else { return }
            await feed.commit(after: commits)
        }
    }

    /// Sends the rows that have come together, once few enough messages are unanswered, and starts anew.
    private func send(_ message: inout ChangesMessage, _ feed: ChangesFeed, _ handle: CollectionHandle, _ collection: SessionCollection)
        async
    {
        await feed.place(limit: limits.changesInFlight)
        await room()
        guard feed.isActive else { return }
        let announced = AnnouncedChanges(collection: handle, feed: feed, rows: message.rows)
        if send(message.request(collection.properties()), awaiting: .changes(announced)) == nil { feed.leavePlace() }
        message = ChangesMessage(subprotocol, takesRevocations: feed.request.takesRevocations)
    }

    /// Takes the client's answer to rows that were announced, and has the revisions sent that it wants.
    func takeAnswer(_ reply: BLIPMessage, to announced: AnnouncedChanges) {
        do {
            if reply.type == .error {
                let code = "\(reply.errorDomain ?? "") \(reply.errorCode ?? 0): \(reply.errorMessage?.prefix(500) ?? "")"
                throw RequestError(.badRequest, "The client refused changes: \(code)")
            }
            let answer = try ChangesAnswer(reply, rows: announced.rows.count)
            let revisions = zip(announced.rows, answer.wanted).compactMap { row, ancestors in
                row.isRemoval ? nil : ancestors.map { WantedRevision(row: row, ancestors: $0) }
            }
            let collection = collections[announced.collection]
            if answer.takesDeltas { collection?.takesDeltas = collection?.keyspace.database.configuration.deltaSync ?? false }
            guard !revisions.isEmpty else { return announced.feed.leavePlace() }
            send(
                revisionsOf: WantedRevisions(
                    collection: announced.collection, feed: announced.feed, maxHistory: answer.maxHistory,
                    takesBlobsInPlace: answer.takesBlobsInPlace, takesDeltas: collection?.takesDeltas ?? false, revisions: revisions))
        } catch {
            // As Sync Gateway does: nothing of that batch is sent, and the feed goes on.
            logger.warning("the answer to changes is no use", metadata: ["error": "\(error)"])
            announced.feed.leavePlace()
        }
    }
}
