import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Starts the tasks of a pull.
    func beginPull(_ index: Int, _ group: inout DiscardingTaskGroup) {
        group.addTask { await self.subscribe(index) }
        group.addTask { await self.answerChanges(index) }
        group.addTask { await self.writeRevisions(index) }
    }

    private func subscribe(_ index: Int) async {
        let collection = collections[index]
        do {
            var request = SubChangesRequest()
            request.since = collection.pull?.progress.checkpoint
            request.isContinuous = plan.isContinuous
            request.batch = replicatorLimits.rowsInChanges
            // A bridge that also pushes needs earlier deletions: documents with the same ID from elsewhere become conflicts with them.
            if request.since == nil, !plan.type.pushes {
                let counts = try await collection.keyspace.read { try $0.counts() }
                request.activeOnly = counts.live == 0 && counts.tombstones == 0
            }
            // The application is notified of them even if they purge nothing.
            request.revocations = true
            request.channels = collection.configuration.channels
            request.documentIDs = collection.configuration.documentIDs
            _ = send(request.message(collection.properties, subprotocol), awaiting: .subscription)
        } catch {
            await fail(error)
        }
    }

    func receiveChanges(_ request: BLIPMessage, _ collection: CollectionReplication) throws {
        guard collection.pull != nil else { throw BLIPRequestError(.badRequest, "This replicator does not pull") }
        let rows: [RemoteChange]
        do {
            rows = try RemoteChange.rows(of: request, limit: replicatorLimits.maxRowsInChanges)
        } catch {
            // Later messages would build on rows that were not understood.
            finish(.failed(ReplicatorError(.remoteError, "The server's changes cannot be read", cause: error)))
            throw error
        }
        guard !rows.isEmpty else {
            collection.pull?.caughtUp()
            return reply(.reply(to: request.number))
        }
        // LiteCore also ignores rows whose message wants no reply: they can have no effect.
        guard !request.noReply else { return }
        guard collection.changes.count < replicatorLimits.changesWaiting else {
            return finish(.failed(ReplicatorError(.remoteError, "The server announces changes without waiting for the answers")))
        }
        collection.changes.append((request.number, rows))
    }

    /// Replies to `changes` in their order, while few enough revisions are outstanding.
    private func answerChanges(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded, !isStopping {
                guard !collection.changes.isEmpty, collection.pull?.pending ?? 0 < replicatorLimits.revisionsRequested else {
                    await changed.wait()
                    continue
                }
                let (number, rows) = collection.changes.removeFirst()
                collection.isAnswering = true
                try await answer(number, rows, collection)
                collection.isAnswering = false
                changed.notifyAll()
            }
        } catch {
            await fail(error)
        }
    }

    private func answer(_ number: UInt64, _ rows: [RemoteChange], _ collection: CollectionReplication) async throws {
        let reader = RemoteChangesReader(ancestors: replicatorLimits.ancestors, subprotocol: subprotocol)
        let findings = try await collection.keyspace.read { try reader.read(rows, in: $0) }
        for (row, finding) in zip(rows, findings) where finding.status == .known || finding.status == .removed {
            recordOutcome(.pull, row.id, row.revision, nil, collection)
        }
        for (row, finding) in zip(rows, findings) {
            guard let sequence = finding.sequence, let push = collection.push, !push.completed.contains(sequence),
                let name = finding.name
            else { continue }
            collection.push?.recordRemote(name, of: row.id)
        }
        try await follow(rows, findings, collection)
        guard let (body, wanted) = collection.pull?.announced(rows, findings.map(\.status)) else { return }
        // `blobs` is omitted: attachments then come with their names in `_attachments`, as 1.x peers need them.
        var properties: BLIPProperties = subprotocol.hasVersions ? [:] : ["maxHistory": "50"]
        if plan.usesDeltas { properties.add("deltas", "true") }
        reply(.reply(to: number, properties: properties, body: body, isCompressed: true))
        total += wanted
        let refused = zip(rows, findings).filter { $0.1.status == .refused }
        for (row, _) in refused {
            let error = ReplicatorError(unkeepable: row)
            reportPulled(row.id, [], error, collection)
            recordOutcome(.pull, row.id, String(row.revision.prefix(200)), error, collection)
        }
        let removed = rows.filter(\.isRemoved)
        if !removed.isEmpty { try await remove(removed, collection) }
    }

    /// Processes documents to which the user has lost access (docs/protocol/modern-2x.md#auto-purge).
    ///
    /// A server may announce the loss before it sends a revision that an earlier row announced (Sync Gateway 3.2). That revision is stored
    /// first.
    private func remove(_ rows: [RemoteChange], _ collection: CollectionReplication) async throws {
        while !isEnded, !isStopping, rows.contains(where: { collection.pull?.awaits($0.id) == true }) {
            await changed.wait()
        }
        // On an early end the checkpoint stays before these rows, so the next connection receives them again.
        guard !isEnded, !isStopping else { return }
        var purged: [String] = []
        for row in rows {
            guard let revision = try row.treeID(subprotocol), await isPulled(row.id, revision, nil, .accessRemoved, collection) else {
                continue
            }
            if plan.enablesAutoPurge { purged.append(row.id) }
            reportPulled(row.id, .accessRemoved, nil, collection)
        }
        try await collection.keyspace.purge(purged)
        for row in rows { collection.pull?.finish(row.sequence) }
    }

    /// Whether the pull filter accepts a revision. The application is notified of refusals and failures.
    func isPulled(
        _ id: String, _ revision: RevisionID, _ body: [UInt8]?, _ flags: ReplicatedDocument.Flags, _ collection: CollectionReplication
    ) async -> Bool {
        guard let filter = collection.configuration.pullFilter else { return true }
        do {
            let document = FilteredDocument(id: id, revision: revision, body: body ?? Array("{}".utf8))
            if try await filter.allows(document, flags) { return true }
            reportPulled(id, flags, ReplicatorError(.forbidden, "The pull filter refused \(id)"), collection)
        } catch {
            let failure = ReplicatorError(.forbidden, "The pull filter failed on \(id)", cause: error)
            reportPulled(id, flags, failure, collection)
            recordOutcome(.pull, id, revision.text, failure, collection)
        }
        return false
    }

    func reportPulled(_ id: String, _ flags: ReplicatedDocument.Flags, _ error: ReplicatorError?, _ collection: CollectionReplication) {
        collection.pulled.append(ReplicatedDocument(collection: collection.plan.name, id: id, flags: flags, error: error))
    }
}

extension RemoteChange {
    /// A tree ID for filters, which do not support versions.
    fileprivate func treeID(_ subprotocol: Subprotocol) throws -> RevisionID? {
        switch name(subprotocol) {
        case .tree(let revision): revision
        case .version(let version): try RevisionDigest.version(parent: nil, version: version)
        case nil: nil
        }
    }
}

extension ReplicatorError {
    /// The reason why a row of the server can never be stored.
    fileprivate init(unkeepable row: RemoteChange) {
        do {
            try DocumentID.validate(row.id)
            let revision = row.revision.prefix(200)
            self.init(
                .http(400), "\(revision) is not a revision ID (a number, a dash and a digest): write the document again on the server")
        } catch {
            self.init(.http(400), "\(error.message.prefix(400)); give the document another ID on the server")
        }
    }
}
