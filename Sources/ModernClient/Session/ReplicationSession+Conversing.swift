import BLIP
import Coordination
import Gateway
import Logging
import ModernProtocol

extension ReplicationSession {
    /// Negotiates, starts each collection's push and pull, and ends the connection when they are done.
    func converse() async {
        do {
            try await openParking()
            try await open()
        } catch {
            return finish(.failed(ReplicatorError(local: error)))
        }
        guard !isEnded else { return }
        notify(.connected)
        await withDiscardingTaskGroup { group in
            for index in collections.indices {
                if plan.type.pushes { beginPush(index, &group) }
                if plan.type.pulls { beginPull(index, &group) }
            }
            group.addTask { await self.saveRegularly() }
            if plan.parking != nil { group.addTask { await self.parkRegularly() } }
            await supervise()
            group.cancelAll()
        }
    }

    /// Reads the server's checkpoints and determines the start of each collection.
    private func open() async throws {
        if plan.isUnnamed, !subprotocol.hasVersions {
            let collection = collections[0]
            let request = GetCheckpoint.request(collection.plan.checkpointID, collection.properties)
            guard plan.keepsCheckpoints else { return try await start(collection, nil) }
            guard collection.plan.saved != nil else {
                // There is no local checkpoint to compare; start immediately, as LiteCore does.
                _ = send(request, awaiting: .checkpoint(collection: 0))
                return try await start(collection, nil)
            }
            return try await start(collection, try GetCheckpoint.found(in: try await ask(request)))
        }
        guard subprotocol != .v2 else {
            throw ReplicatorError(
                .httpNotFound, "The server supports the default collection alone; replicate only that collection, or update the server")
        }
        // The UUID tells the server which versions are from this database.
        let uuid = subprotocol.hasVersions ? try await collections.first?.keyspace.databaseUUID() : nil
        let reply = try await ask(GetCollections.request(collections.map { ($0.plan.name, $0.plan.checkpointID) }, uuid: uuid))
        let found = try GetCollections.found(in: reply, for: collections.map(\.plan.name))
        for (collection, kept) in zip(collections, found) { try await start(collection, kept) }
    }

    private func start(_ collection: CollectionReplication, _ kept: ServerCheckpoint?) async throws {
        collection.serverRevision = kept?.revision
        if let saved = collection.plan.saved {
            let agreed = saved.reconciled(with: kept?.checkpoint, refused: try await refused(collection))
            if agreed != saved {
                logger.notice("the server's checkpoint differs", metadata: ["collection": "\(collection.plan.name)"])
            }
            collection.saved = agreed
        }
        if plan.type.pushes { collection.push = PushSession(completed: collection.saved.local, resolvesConflicts: plan.type.pulls) }
        if plan.type.pulls { collection.pull = PullSession(checkpoint: collection.saved.remote) }
    }

    private var isBusy: Bool {
        // A long message of rows may complete after the short caught-up message that was sent later.
        connection.incompleteRequests > 0 || collections.contains { $0.isPushing(isContinuous: plan.isContinuous) || $0.isPulling }
    }

    /// Waits until the work is done, then ends the connection.
    private func supervise() async {
        while !isEnded {
            let isBusy = isBusy
            report(isBusy: isBusy)
            if isStopping {
                guard collections.contains(where: \.isStoring) else { return await conclude() }
            } else if !isBusy {
                await saveCheckpoints()
                // During the save, changes may have arrived and even been processed.
                report()
                if !self.isBusy, !plan.isContinuous { return await conclude() }
                if self.isBusy || isEnded || isStopping || collections.contains(where: { $0.checkpoint != $0.saved }) { continue }
            }
            await changed.wait()
        }
        report()
    }

    private func conclude() async {
        do {
            for collection in collections {
                if !isStopping { try await parkUnresolved(collection) }
                try await park(collection)
            }
        } catch {
            await fail(error)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.saveCheckpoints()
                await self.drain()
            }
            group.addTask { await self.finishAfterTimeout() }
            await group.next()
            group.cancelAll()
        }
        report()
        finish(.done)
    }
}
