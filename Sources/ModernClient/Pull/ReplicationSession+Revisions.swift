import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage
import Telemetry

extension ReplicationSession {
    /// Processes a `rev` of the server.
    func receiveRevision(_ request: BLIPMessage, _ collection: CollectionReplication) {
        let pulled: ReceivedRev
        do {
            guard collection.pull != nil else { throw BLIPRequestError(.badRequest, "This replicator does not pull") }
            // An obsolete form of `norev`.
            guard request.properties["error"] == nil else { return receiveNoRevision(request, collection) }
            if let delta = try IncomingDelta(request) {
                guard plan.usesDeltas else { throw IncomingDelta.refusal("Deltas are disabled for this peer") }
                return enqueue(delta, collection)
            }
            pulled = try ReceivedRev(request, subprotocol, maxSize: maxSize(of: collection))
        } catch {
            return reject(request, error, collection)
        }
        guard pulled.write.attachments != nil, !pulled.isRemoved else { return collection.inbox.append(pulled) }
        collection.revisionsAwaitingAttachments += 1
        let handle = handle(of: collection)
        jobs.append { await $0.fetchAttachments(of: pulled, handle) }
    }

    func maxSize(of collection: CollectionReplication) -> Int {
        collection.keyspace.database.configuration.limits.documentSize
    }

    /// Completes the row of a revision that can never be stored, or not in this form; the pull continues without it.
    func reject(_ request: BLIPMessage, _ error: any Error, _ collection: CollectionReplication) {
        refuse(request.number, error)
        let id = request.properties["id"] ?? ""
        if BLIPRequestError(error).code == .unprocessable {
            deltaCounter.update { $0.refused += 1 }
            // The server sends the whole revision, unless it wanted no reply or has received this error for the row before.
            if !request.noReply, collection.refusedDeltas.insert(request.properties["sequence"] ?? id).inserted { return }
        }
        let failure = ReplicatorError(local: error)
        reportPulled(id, [], failure, collection)
        recordOutcome(.pull, id, String(request.properties["rev"]?.prefix(200) ?? ""), failure, collection)
        close(id, request.properties["sequence"], collection)
    }

    /// `norev`: a requested revision will not arrive. It is gone, or a newer revision will be announced, or the server cannot read it.
    func receiveNoRevision(_ request: BLIPMessage, _ collection: CollectionReplication) {
        reply(.reply(to: request.number))
        let (id, status) = (request.properties["id"] ?? "", request.properties.integer("error") ?? 404)
        if status != 404, status != 410 {
            let reason = request.properties["reason"].map { ": \($0.prefix(300))" } ?? ""
            let failure = ReplicatorError(.http(status), "The server does not give the revision, with \(status)\(reason)")
            reportPulled(id, [], failure, collection)
            recordOutcome(.pull, id, String(request.properties["rev"]?.prefix(200) ?? ""), failure, collection)
        }
        close(id, request.properties["sequence"], collection)
    }

    /// Completes a row.
    func close(_ id: String, _ sequence: String?, _ collection: CollectionReplication) {
        completed += 1
        collection.pull?.arrived(id)
        if let sequence { collection.pull?.finish(sequence) }
    }

    /// Fetches a revision's missing attachments, then queues the revision for writing.
    func fetchAttachments(of pulled: ReceivedRev, _ handle: CollectionHandle) async {
        let collection = collections[handle]
        defer {
            collection.revisionsAwaitingAttachments -= 1
            changed.notifyAll()
        }
        var complete = pulled
        do {
            complete.write = try await fetch(pulled.write, collection)
        } catch {
            guard !isEnded else { return }
            let failure = ReplicatorError(local: error)
            reportPulled(pulled.write.id, [], failure, collection)
            return postpone(pulled, error, failure, collection)
        }
        collection.inbox.append(complete)
    }

    private func fetch(_ write: RevisionWrite, _ collection: CollectionReplication) async throws -> RevisionWrite {
        await downloads.acquire()
        defer { downloads.release() }
        let plan = try await collection.keyspace.read { try AttachmentPlan(write, in: $0) }
        // Stored attachments need no proof: by sending the revision, the server has granted access to them.
        for task in plan.tasks where task.stored == nil {
            try await download(task, of: write.id, collection.properties, collection.keyspace)
        }
        return plan.write
    }

    /// Writes received revisions, one transaction after another, including those that arrive meanwhile.
    func writeRevisions(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded {
                guard !collection.inbox.isEmpty else {
                    await changed.wait()
                    continue
                }
                var bytes = 0
                let batch = collection.inbox.prefix(limits.revisionsInTransaction).prefix { pulled in
                    defer { bytes += pulled.size }
                    return bytes < limits.bytesInTransaction
                }
                collection.inbox.removeFirst(batch.count)
                collection.isWriting = true
                try await ReplicationBatch.modernPull.traced(revisions: batch.count) { try await write(Array(batch), collection) }
                collection.isWriting = false
                changed.notifyAll()
            }
        } catch {
            await fail(error)
        }
    }

    private func write(_ batch: [ReceivedRev], _ collection: CollectionReplication) async throws {
        var accepted: [ReceivedRev] = []
        var purged: [String] = []
        for pulled in batch {
            let flags: ReplicatedDocument.Flags = pulled.isRemoved ? .accessRemoved : pulled.write.isDeleted ? .deleted : []
            guard await isPulled(pulled.write.id, pulled.revision, pulled.isRemoved ? nil : pulled.write.body, flags, collection) else {
                finishRow(pulled, nil, collection)
                continue
            }
            if pulled.isRemoved {
                if plan.enablesAutoPurge { purged.append(pulled.write.id) }
                reportPulled(pulled.write.id, .accessRemoved, nil, collection)
                continue
            }
            // Recorded before the local feed can contain it, so that the push skips it.
            collection.push?.recordRemote(pulled.name, of: pulled.write.id)
            accepted.append(pulled)
        }
        try await collection.keyspace.purge(purged)
        for pulled in batch where pulled.isRemoved { finishRow(pulled, nil, collection) }
        let results = try await collection.keyspace.write(accepted.map(\.write))
        try await recordFollowed(
            zip(accepted, results).compactMap { pulled, result in
                if case .success = result { (pulled.write.id, pulled.name) } else { nil }
            }, collection)
        for (pulled, result) in zip(accepted, results) {
            switch result {
            case .success(let outcome):
                if !reexamine(pulled, collection), !outcome.isNew { collection.push?.forget(pulled.name, of: pulled.write.id) }
                reportPulled(pulled.write.id, pulled.write.isDeleted ? .deleted : [], nil, collection)
                recordOutcome(.pull, pulled.write.id, pulled.name.description, nil, collection)
                finishRow(pulled, nil, collection)
            case .failure(let error) where error.code == .conflict: try await resolve(pulled, collection)
            case .failure(let error) where error.code == .unavailable: throw error
            case .failure(let error):
                collection.push?.forget(pulled.name, of: pulled.write.id)
                let failure = ReplicatorError(local: error)
                reportPulled(pulled.write.id, [], failure, collection)
                recordOutcome(.pull, pulled.write.id, pulled.name.description, failure, collection)
                finishRow(pulled, error, collection)
            }
        }
    }

    /// Re-examines a deferred change of the document. A revision with a version may only have extended the version of the local winner, so
    /// that the local feed does not contain it again.
    ///
    /// - Returns: Whether a deferred change was waiting for the revision.
    func reexamine(_ pulled: ReceivedRev, _ collection: CollectionReplication) -> Bool {
        guard pulled.version != nil, let change = collection.push?.resume(after: pulled.write.id) else { return false }
        collection.toExamine.append(change)
        changed.notifyAll()
        return true
    }

    /// Handles a revision that cannot be stored now. If it can be parked, the pull passes it. Without parking, or if the failure may pass
    /// by itself, the checkpoint stays before it.
    func postpone(_ pulled: ReceivedRev, _ error: any Error, _ failure: ReplicatorError, _ collection: CollectionReplication) {
        if plan.parking != nil, !failure.isTransient, !failure.isNetworkDependent {
            recordOutcome(.pull, pulled.write.id, pulled.name.description, failure, collection)
            return finishRow(pulled, error, collection)
        }
        if let number = pulled.number { refuse(number, error) }
        completed += 1
        collection.pull?.arrived(pulled.write.id)
        if let sequence = pulled.sequence { collection.pull?.abandon(sequence) }
    }

    /// Replies to a revision that is durable or not needed, and completes its row.
    func finishRow(_ pulled: ReceivedRev, _ error: (any Error)?, _ collection: CollectionReplication) {
        if let number = pulled.number {
            if let error { refuse(number, error) } else { reply(.reply(to: number)) }
        }
        close(pulled.write.id, pulled.sequence, collection)
    }
}
