import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Starts what a pull needs.
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
            request.batch = replicationLimits.rowsInChanges
            // A bridge that pushes, too, needs deletions from before: documents of that name that come from elsewhere end in a conflict with them.
            if request.since == nil, !plan.type.pushes {
                let counts = try await collection.keyspace.read { try $0.counts() }
                request.activeOnly = counts.live == 0 && counts.tombstones == 0
            }
            // They are told to the application even where they purge nothing.
            request.revocations = true
            request.channels = collection.configuration.channels
            request.documentIDs = collection.configuration.documentIDs
            _ = send(request.message(collection.properties, subprotocol), awaiting: .subscription)
        } catch {
            await fail(error)
        }
    }

    func takeChanges(_ request: BLIPMessage, _ collection: CollectionReplication) throws {
        guard collection.pull != nil else { throw RequestError(.badRequest, "This replicator does not pull") }
        let rows: [RemoteChange]
        do {
            rows = try RemoteChange.rows(of: request, limit: replicationLimits.maxRowsInChanges)
        } catch {
            // What the server says next would build on rows that were not understood.
            finish(.failed(ReplicatorError(.remoteError, "The server's changes cannot be read", cause: error)))
            throw error
        }
        guard !rows.isEmpty else {
            collection.pull?.caughtUp()
            return reply(.reply(to: request.number))
        }
        // LiteCore passes over rows that want no answer, too: there is nothing that could come of them.
        guard !request.noReply else { return }
        guard collection.changes.count < replicationLimits.changesWaiting else {
            return finish(.failed(ReplicatorError(.remoteError, "The server announces changes and does not wait for answers")))
        }
        collection.changes.append((request.number, rows))
    }

    /// Answers `changes` in their order, while few enough revisions are on their way.
    private func answerChanges(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded, !isStopping {
                guard !collection.changes.isEmpty, collection.pull?.pending ?? 0 < replicationLimits.revisionsRequested else {
                    await changed.wait()
                    continue
                }
                let (number, rows) = collection.changes.removeFirst()
                collection.isAnswering = true
                try await answer(number, rows, collection)
                collection.isAnswering = false
                changed.open()
            }
        } catch {
            await fail(error)
        }
    }

    private func answer(_ number: UInt64, _ rows: [RemoteChange], _ collection: CollectionReplication) async throws {
        let reader = RemoteChangesReader(ancestors: replicationLimits.ancestors, subprotocol: subprotocol)
        let findings = try await collection.keyspace.read { try reader.read(rows, in: $0) }
        for (row, finding) in zip(rows, findings) where finding.verdict == .known || finding.verdict == .removed {
            note(.pull, row.id, row.revision, nil, collection)
        }
        for (row, finding) in zip(rows, findings) {
            guard let sequence = finding.sequence, let push = collection.push, !push.completed.contains(sequence),
                let name = finding.name
            else { continue }
            collection.push?.note(name, of: row.id)
        }
        try await follow(rows, findings, collection)
        guard let (body, wanted) = collection.pull?.announced(rows, findings.map(\.verdict)) else { return }
        // `blobs` is left out: attachments come with their names in `_attachments`, as 1.x peers know them.
        var properties: BLIPProperties = subprotocol.hasVersions ? [:] : ["maxHistory": "50"]
        if plan.usesDeltas { properties.add("deltas", "true") }
        reply(.reply(to: number, properties: properties, body: body, isCompressed: true))
        total += wanted
        let refused = zip(rows, findings).filter { $0.1.verdict == .refused }
        for (row, _) in refused {
            let error = ReplicatorError(unkeepable: row)
            tellPulled(row.id, [], error, collection)
            note(.pull, row.id, String(row.revision.prefix(200)), error, collection)
        }
        let removed = rows.filter(\.isRemoved)
        if !removed.isEmpty { try await remove(removed, collection) }
    }

    /// Sees to documents to which the user has lost access (docs/protocol/modern-2x.md#auto-purge).
    ///
    /// A server may tell of the loss before it sends the revision that an earlier row has announced (Sync Gateway 3.2). The revision is stored first.
    private func remove(_ rows: [RemoteChange], _ collection: CollectionReplication) async throws {
        while !isEnded, !isStopping, rows.contains(where: { collection.pull?.awaits($0.id) == true }) {
            await changed.wait()
        }
        // Else the next connection is told of the loss again: the checkpoint stays before these rows.
        guard !isEnded, !isStopping else { return }
        var purged: [String] = []
        for row in rows {
            guard let revision = try row.treeID(subprotocol), await isPulled(row.id, revision, nil, .accessRemoved, collection) else {
                continue
            }
            if plan.enablesAutoPurge { purged.append(row.id) }
            tellPulled(row.id, .accessRemoved, nil, collection)
        }
        try await collection.keyspace.purge(purged)
        for row in rows { collection.pull?.finish(row.sequence) }
    }

    /// Whether the pull filter lets a revision pass; what it refuses or fails on is told.
    func isPulled(
        _ id: String, _ revision: RevisionID, _ body: [UInt8]?, _ flags: ReplicatedDocument.Flags, _ collection: CollectionReplication
    ) async -> Bool {
        guard let filter = collection.configuration.pullFilter else { return true }
        do {
            let document = FilteredDocument(id: id, revision: revision, body: body ?? Array("{}".utf8))
            if try await filter.allows(document, flags) { return true }
            tellPulled(id, flags, ReplicatorError(.forbidden, "The pull filter refused \(id)"), collection)
        } catch {
            let failure = ReplicatorError(.forbidden, "The pull filter failed on \(id)", cause: error)
            tellPulled(id, flags, failure, collection)
            note(.pull, id, revision.text, failure, collection)
        }
        return false
    }

    func tellPulled(_ id: String, _ flags: ReplicatedDocument.Flags, _ error: ReplicatorError?, _ collection: CollectionReplication) {
        collection.pulled.append(ReplicatedDocument(collection: collection.plan.name, id: id, flags: flags, error: error))
    }
}

extension RemoteChange {
    /// An ID for filters, which know no versions.
    fileprivate func treeID(_ subprotocol: Subprotocol) throws -> RevisionID? {
        switch name(subprotocol) {
        case .tree(let revision): revision
        case .version(let version): try RevisionDigest.version(parent: nil, version: version)
        case nil: nil
        }
    }
}

extension ReplicatorError {
    /// Why a row of the server's can never be kept here.
    fileprivate init(unkeepable row: RemoteChange) {
        do {
            try DocumentID.validate(row.id)
            let revision = row.revision.prefix(200)
            self.init(.http(400), "\(revision) is no revision ID (a number, a dash and a digest): write the document anew on the server")
        } catch {
            self.init(.http(400), "\(error.message.prefix(400)); give the document another ID on the server")
        }
    }
}
