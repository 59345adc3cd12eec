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
        // The client may have ended it already, and begun another one.
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

    /// Answers the request for a pull: whose user is gone is sent away, to log in again.
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
        var position = request.beginsNow ? last : request.since
        var message = ChangesMessage(subprotocol, takesRevocations: request.takesRevocations)
        var hasCaughtUp = false
        while feed.isActive {
            var batch = try await read(feed, keyspace, after: position)
            if feed.request.activeOnly { batch.end(at: start) }
            position = batch.position
            try await append(batch.rows, to: &message, feed, handle, collection, keyspace)
            // Not kept while the feed is idle.
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
            await feed.commit()
        }
    }

    // These are not inlined, as an idle feed would have to hold room for what they need.

    /// Tells the client that it has all, once it has answered everything that was announced.
    ///
    /// LiteCore lets go of the state of a pull that does not go on when it hears this. A row that comes after it ends the app (3.2.1, 4.1.0,
    /// Puller.cc, `_revFinder`), and a short message overtakes one of several frames. A client that does not take a message gets its rows one by one
    /// before.
    @inline(never)
    private func endInitialPull(
        _ feed: ChangesFeed, at position: FeedPosition, _ handle: CollectionHandle, _ collection: SessionCollection
    ) async throws {
        repeat {
            let shown = try await sendBlockingRevisions(feed.request, at: position, handle, collection)
            await feed.settle()
            await shown?.settle()
        } while !collection.contested.isEmpty && feed.isActive && !isEnded
        guard feed.isActive else { return }
        _ = send(ChangesMessage.caughtUp(collection.properties()))
        collection.pull.catchUp()
        feed.tell()
    }

    /// Reads the next rows.
    @inline(never)
    private func read(_ feed: ChangesFeed, _ keyspace: Keyspace, after position: FeedPosition) async throws -> ChangesBatch {
        let query = feed.request.query(since: position)
        guard let commits = feed.commits else { return try await keyspace.changes(query) }
        return try await keyspace.take(.woken) { try await keyspace.changes(query, following: commits) }
    }

    /// Adds rows to the message that is next, and sends those that are full.
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

    /// Sends the rows that have come together, once few enough messages are unanswered, and starts anew.
    @inline(never)
    private func send(_ message: inout ChangesMessage, _ feed: ChangesFeed, _ handle: CollectionHandle, _ collection: SessionCollection)
        async
    {
        await feed.place(limit: limits.changesInFlight)
        await room()
        // A client that has later rows and loses the connection before it has earlier ones would go on behind both (LiteCore, `RemoteSequenceSet`).
        if let last = feed.lastMessage { await departure(of: last) }
        await settle(documentsThatLeaveBy: message.rows, of: handle, feed)
        guard feed.isActive else { return }
        let announced = AnnouncedChanges(collection: handle, feed: feed, rows: message.rows)
        feed.lastMessage = send(message.request(collection.properties()), awaiting: .changes(announced))
        if feed.lastMessage == nil { feed.leavePlace() }
        message = ChangesMessage(subprotocol, takesRevocations: feed.request.takesRevocations)
    }

    /// Takes the client's answer to rows that were announced, and has the revisions sent that it wants.
    func takeAnswer(_ reply: BLIPMessage, to announced: AnnouncedChanges) {
        defer { announced.feed.leavePlace() }
        do {
            if reply.type == .error {
                let code = "\(reply.errorDomain ?? "") \(reply.errorCode ?? 0): \(reply.errorMessage?.prefix(500) ?? "")"
                if subprotocol.hasVersions, announced.rows.count > 1 { return announceSingly(announced, code) }
                throw RequestError(.badRequest, "The client refused changes: \(code)")
            }
            let answer = try ChangesAnswer(reply, rows: announced.rows.count)
            let revisions = zip(announced.rows, answer.wanted).compactMap { row, known in
                known.map { WantedRevision(row: row, known: $0) }
            }
            let collection = collections[announced.collection]
            if answer.takesDeltas, let collection { collection.deltaUse = takesDeltas(collection.keyspace) ? .all : .ofNothing }
            guard !revisions.isEmpty else { return }
            announced.feed.takePlace()
            send(
                revisionsOf: WantedRevisions(
                    collection: announced.collection, feed: announced.feed, maxHistory: answer.maxHistory,
                    takesBlobsInPlace: answer.takesBlobsInPlace, deltas: collection?.deltaUse ?? .none, revisions: revisions))
        } catch {
            // As Sync Gateway does: nothing of that batch is sent, and the feed goes on.
            logger.warning("the answer to changes is no use", metadata: ["error": "\(error)"])
        }
    }

    /// A 4.x client refuses a whole message for one document that was spoiled in its database (LiteCore 4.1, `findDocAncestors`). Sent one
    /// by one it takes the others.
    private func announceSingly(_ announced: AnnouncedChanges, _ code: String) {
        logger.info("a client refused changes; they are sent one by one", metadata: ["error": "\(code)"])
        guard let collection = collections[announced.collection] else { return }
        for row in announced.rows {
            var message = ChangesMessage(subprotocol, takesRevocations: announced.feed.request.takesRevocations)
            message.append(row)
            announced.feed.takePlace()
            let single = AnnouncedChanges(collection: announced.collection, feed: announced.feed, rows: [row])
            if send(message.request(collection.properties()), awaiting: .changes(single)) == nil { announced.feed.leavePlace() }
        }
    }
}
