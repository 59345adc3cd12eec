import BLIP
import Gateway
import Logging
import ModernProtocol

extension ModernSession {
    /// Starts a client's pull.
    func beginFeed(_ feed: ChangesFeed, of handle: CollectionHandle, _ collection: SessionCollection) {
        let (keyspace, number) = (collection.keyspace, feed.number)
        jobs.append { await $0.pull(number, handle, keyspace) }
    }

    /// Announces changes, batch by batch, until the client has all or its pull ends.
    private func pull(_ number: UInt64, _ handle: CollectionHandle, _ keyspace: Keyspace) async {
        // The client may already have ended this pull and started another.
        guard let collection = collections[handle], let feed = collection.feed, feed.number == number else {
            return reply(.reply(to: number))
        }
        do {
            guard await admit(number, to: keyspace) else { return end(feed, of: collection) }
            if feed.request.isContinuous {
                try await keyspace.database.activity.during(.subChanges) { try await announce(feed, of: handle, collection, keyspace) }
            } else {
                try await announce(feed, of: handle, collection, keyspace)
            }
        } catch {
            await fail(error)
        }
        end(feed, of: collection)
    }

    private func end(_ feed: ChangesFeed, of collection: SessionCollection) {
        feed.stop()
        if collection.feed === feed { collection.feed = nil }
    }

    /// Replies to `subChanges`. A client whose user no longer exists receives an error, so that it logs in again.
    private func admit(_ number: UInt64, to keyspace: Keyspace) async -> Bool {
        do {
            try await keyspace.requireAccess()
            reply(.reply(to: number))
            return true
        } catch {
            refuse(number, error)
            return false
        }
    }

    private func announce(_ feed: ChangesFeed, of handle: CollectionHandle, _ collection: SessionCollection, _ keyspace: Keyspace)
        async throws
    {
        let request = feed.request
        let last = request.activeOnly || request.beginsNow ? FeedPosition(try await keyspace.lastSequence()) : .zero
        let start = request.activeOnly ? last : .zero
        var position = request.beginsNow ? last : try await request.since.position(in: keyspace)
        var message = ChangesMessage(subprotocol, takesRevocations: request.takesRevocations)
        var hasCaughtUp = false
        while feed.isActive {
            var batch = try await read(feed, keyspace, after: position)
            if feed.request.activeOnly { batch.end(at: start) }
            position = batch.position
            try await append(batch.rows, to: &message, feed, handle, collection, keyspace)
            // Frees the rows: the feed may be idle for long.
            batch.rows = []
            let isInitial = feed.request.activeOnly
            if position >= start { feed.endInitialPull() }
            guard batch.isCaughtUp || isInitial != feed.request.activeOnly else { continue }
            if !message.rows.isEmpty { await send(&message, feed, handle, collection) }
            message = ChangesMessage(subprotocol, takesRevocations: feed.request.takesRevocations)
            guard batch.isCaughtUp else { continue }
            if feed.isActive { collection.pull.reach(position, with: request) }
            if !hasCaughtUp, feed.isActive {
                hasCaughtUp = true
                try await endInitialPull(feed, at: position, handle, collection)
            }
            guard request.isContinuous else { return }
            await feed.waitForCommit()
        }
    }

    // The following methods are not inlined: an idle feed's task would otherwise reserve memory for their local variables.

    /// Sends the caught-up message once the client has answered all announced rows.
    ///
    /// LiteCore frees the state of a one-shot pull on this message. A row that arrives after it crashes the app (3.2.1, 4.1.0, Puller.cc,
    /// `_revFinder`), and a short message overtakes one of several frames. If the client refuses a `changes` message, its rows are
    /// therefore sent one by one before the caught-up message.
    @inline(never)
    private func endInitialPull(
        _ feed: ChangesFeed, at position: FeedPosition, _ handle: CollectionHandle, _ collection: SessionCollection
    ) async throws {
        repeat {
            let blocking = try await sendBlockingRevisions(feed.request, at: position, handle, collection)
            await feed.waitUntilIdle()
            await blocking?.waitUntilIdle()
        } while !collection.contested.isEmpty && feed.isActive && !isEnded
        guard feed.isActive else { return }
        _ = send(ChangesMessage.caughtUp(collection.properties()))
        collection.pull.catchUp()
        feed.notify()
    }

    /// Reads the next rows.
    @inline(never)
    private func read(_ feed: ChangesFeed, _ keyspace: Keyspace, after position: FeedPosition) async throws -> ChangesBatch {
        let query = feed.request.query(since: position)
        guard let commits = feed.commits else { return try await keyspace.changes(query) }
        return try await keyspace.take(.woken) { try await keyspace.changes(query, following: commits) }
    }

    /// Adds rows to the pending message, and sends each full message.
    @inline(never)
    private func append(
        _ rows: [ChangeRow], to message: inout ChangesMessage, _ feed: ChangesFeed, _ handle: CollectionHandle,
        _ collection: SessionCollection, _ keyspace: Keyspace
    ) async throws {
        let size = feed.request.batch
        let versions = subprotocol.hasVersions ? try await keyspace.versions(of: rows) : []
        for (index, row) in rows.enumerated() {
            if message.announces(departureOf: row) { await send(&message, feed, handle, collection) }
            message.append(row, version: versions.isEmpty ? nil : versions[index])
            if message.rows.count >= size { await send(&message, feed, handle, collection) }
        }
    }

    /// Sends the pending message once few enough messages are in flight, and starts an empty one.
    @inline(never)
    private func send(_ message: inout ChangesMessage, _ feed: ChangesFeed, _ handle: CollectionHandle, _ collection: SessionCollection)
        async
    {
        await feed.waitForSlot(limit: limits.changesInFlight)
        await waitForQueueSpace()
        // If a client received later rows and lost the connection before it received earlier ones, it would resume behind both (LiteCore,
        // `RemoteSequenceSet`).
        if let last = feed.lastMessage { await waitUntilSent(last) }
        await waitForRevisions(departingIn: message.rows, of: handle, feed)
        guard feed.isActive else { return }
        let announced = AnnouncedChanges(collection: handle, feed: feed, rows: message.rows)
        feed.lastMessage = send(message.request(collection.properties()), awaiting: .changes(announced))
        if feed.lastMessage == nil { feed.removeInFlight() }
        message = ChangesMessage(subprotocol, takesRevocations: feed.request.takesRevocations)
    }

    /// Processes the client's reply to announced rows, and sends the revisions that the client wants.
    func receiveAnswer(_ reply: BLIPMessage, to announced: AnnouncedChanges) {
        defer { announced.feed.removeInFlight() }
        do {
            if reply.type == .error {
                let code = "\(reply.errorDomain ?? "") \(reply.errorCode ?? 0): \(reply.errorMessage?.prefix(500) ?? "")"
                if subprotocol.hasVersions, announced.rows.count > 1 { return announceSingly(announced, code) }
                if subprotocol.hasVersions { recordUnreadable(announced) }
                throw BLIPRequestError(.badRequest, "The client refused changes: \(code)")
            }
            let answer = try ChangesAnswer(reply, rows: announced.rows.count)
            let revisions = zip(announced.rows, answer.wanted).compactMap { row, known in
                known.map { WantedRevision(row: row, known: $0) }
            }
            let collection = collections[announced.collection]
            collection?.forgetUnreadable(announced.rows)
            if answer.takesDeltas, let collection { collection.deltaUse = takesDeltas(collection.keyspace) ? .all : .ofNothing }
            guard !revisions.isEmpty else { return }
            announced.feed.addInFlight()
            send(
                revisionsOf: WantedRevisions(
                    collection: announced.collection, feed: announced.feed, maxHistory: answer.maxHistory,
                    takesBlobsInPlace: answer.takesBlobsInPlace, deltas: collection?.deltaUse ?? .none, revisions: revisions))
        } catch {
            // As in Sync Gateway: no revision of that batch is sent, and the feed continues.
            logger.warning("the client's answer to changes is invalid", metadata: ["error": "\(error)"])
        }
    }

    /// Sends refused rows again, one per message.
    ///
    /// A 4.x client refuses a whole message because of one document that is damaged in its database (LiteCore 4.1, `findDocAncestors`). It
    /// accepts the other rows when each comes in its own message.
    private func announceSingly(_ announced: AnnouncedChanges, _ code: String) {
        logger.info("a client refused changes; they are sent one by one", metadata: ["error": "\(code)"])
        guard let collection = collections[announced.collection] else { return }
        for row in announced.rows {
            var message = ChangesMessage(subprotocol, takesRevocations: announced.feed.request.takesRevocations)
            message.append(row)
            announced.feed.addInFlight()
            let single = AnnouncedChanges(collection: announced.collection, feed: announced.feed, rows: [row])
            if send(message.request(collection.properties()), awaiting: .changes(single)) == nil { announced.feed.removeInFlight() }
        }
    }
}
