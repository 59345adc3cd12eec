import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Takes a revision that the server has sent.
    func takeRevision(_ request: BLIPMessage, _ collection: CollectionReplication) {
        let pulled: PulledRevision
        do {
            guard collection.pull != nil else { throw RequestError(.badRequest, "This replicator does not pull") }
            // A very old form of `norev`.
            guard request.properties["error"] == nil else { return takeNoRevision(request, collection) }
            if let delta = try IncomingDelta(request) {
                guard plan.usesDeltas else { throw IncomingDelta.refusal("Deltas are disabled for this peer") }
                return take(delta, collection)
            }
            pulled = try PulledRevision(request, subprotocol, maxSize: maxSize(of: collection))
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

    /// A revision can never be kept here, or not in this form: the pull goes on without it.
    func reject(_ request: BLIPMessage, _ error: any Error, _ collection: CollectionReplication) {
        refuse(request.number, error)
        let id = request.properties["id"] ?? ""
        if RequestError(error).code == .unprocessable {
            deltaCounter.note { $0.refused += 1 }
            // The server sends it again, whole; unless it cannot hear of it, or has been told before.
            if !request.noReply, collection.refusedDeltas.insert(request.properties["sequence"] ?? id).inserted { return }
        }
        let failure = ReplicatorError(local: error)
        tellPulled(id, [], failure, collection)
        note(.pull, id, String(request.properties["rev"]?.prefix(200) ?? ""), failure, collection)
        close(id, request.properties["sequence"], collection)
    }

    /// `norev`: a revision that was asked for will not come; it is gone, or a newer one will be announced, or the server cannot read it.
    func takeNoRevision(_ request: BLIPMessage, _ collection: CollectionReplication) {
        reply(.reply(to: request.number))
        let (id, status) = (request.properties["id"] ?? "", request.properties.integer("error") ?? 404)
        if status != 404, status != 410 {
            let reason = request.properties["reason"].map { ": \($0.prefix(300))" } ?? ""
            let failure = ReplicatorError(.http(status), "The server does not give the revision, with \(status)\(reason)")
            tellPulled(id, [], failure, collection)
            note(.pull, id, String(request.properties["rev"]?.prefix(200) ?? ""), failure, collection)
        }
        close(id, request.properties["sequence"], collection)
    }

    /// A row is done.
    func close(_ id: String, _ sequence: String?, _ collection: CollectionReplication) {
        completed += 1
        collection.pull?.arrived(id)
        if let sequence { collection.pull?.finish(sequence) }
    }

    /// Fetches what a revision names and is not here, and has the revision written after that.
    func fetchAttachments(of pulled: PulledRevision, _ handle: CollectionHandle) async {
        let collection = collections[handle]
        defer {
            collection.revisionsAwaitingAttachments -= 1
            changed.open()
        }
        var complete = pulled
        do {
            complete.write = try await fetch(pulled.write, collection)
        } catch {
            guard !isEnded else { return }
            let failure = ReplicatorError(local: error)
            tellPulled(pulled.write.id, [], failure, collection)
            return leave(pulled, error, failure, collection)
        }
        collection.inbox.append(complete)
    }

    private func fetch(_ write: RevisionWrite, _ collection: CollectionReplication) async throws -> RevisionWrite {
        await downloads.enter()
        defer { downloads.leave() }
        let plan = try await collection.keyspace.read { try AttachmentPlan(write, in: $0) }
        // What is here already need not be proven: the server has shown by sending the revision that we may have it.
        for task in plan.tasks where task.stored == nil {
            try await download(task, of: write.id, collection.properties, collection.keyspace)
        }
        return plan.write
    }

    /// Writes what has arrived, and what arrives meanwhile, a transaction after the other.
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
                try await write(Array(batch), collection)
                collection.isWriting = false
                changed.open()
            }
        } catch {
            await fail(error)
        }
    }

    private func write(_ batch: [PulledRevision], _ collection: CollectionReplication) async throws {
        var accepted: [PulledRevision] = []
        var purged: [String] = []
        for pulled in batch {
            let flags: ReplicatedDocument.Flags = pulled.isRemoved ? .accessRemoved : pulled.write.isDeleted ? .deleted : []
            guard await isPulled(pulled.write.id, pulled.revision, pulled.isRemoved ? nil : pulled.write.body, flags, collection) else {
                settle(pulled, nil, collection)
                continue
            }
            if pulled.isRemoved {
                if plan.enablesAutoPurge { purged.append(pulled.write.id) }
                tellPulled(pulled.write.id, .accessRemoved, nil, collection)
                continue
            }
            // Before the local feed can show it, so that the push passes over it.
            collection.push?.note(pulled.name, of: pulled.write.id)
            accepted.append(pulled)
        }
        try await collection.keyspace.purge(purged)
        for pulled in batch where pulled.isRemoved { settle(pulled, nil, collection) }
        let results = try await collection.keyspace.write(accepted.map(\.write))
        try await noteFollowed(
            zip(accepted, results).compactMap { pulled, result in
                if case .success = result { (pulled.write.id, pulled.name) } else { nil }
            }, collection)
        for (pulled, result) in zip(accepted, results) {
            switch result {
            case .success(let outcome):
                if !reexamine(pulled, collection), !outcome.isNew { collection.push?.forget(pulled.name, of: pulled.write.id) }
                tellPulled(pulled.write.id, pulled.write.isDeleted ? .deleted : [], nil, collection)
                note(.pull, pulled.write.id, pulled.name.description, nil, collection)
                settle(pulled, nil, collection)
            case .failure(let error) where error.code == .conflict: try await resolve(pulled, collection)
            case .failure(let error) where error.code == .unavailable: throw error
            case .failure(let error):
                collection.push?.forget(pulled.name, of: pulled.write.id)
                let failure = ReplicatorError(local: error)
                tellPulled(pulled.write.id, [], failure, collection)
                note(.pull, pulled.write.id, pulled.name.description, failure, collection)
                settle(pulled, error, collection)
            }
        }
    }

    /// A revision that came by its version may only have given what is here a version more, so that the local feed does not show it again.
    ///
    /// - Returns: Whether a change has waited for it.
    func reexamine(_ pulled: PulledRevision, _ collection: CollectionReplication) -> Bool {
        guard pulled.version != nil, let change = collection.push?.resume(after: pulled.write.id) else { return false }
        collection.toExamine.append(change)
        changed.open()
        return true
    }

    /// A revision cannot be kept now. Where it can be parked, it holds up nothing; else, and where the failure may pass by itself, the
    /// checkpoint stays before it.
    func leave(_ pulled: PulledRevision, _ error: any Error, _ failure: ReplicatorError, _ collection: CollectionReplication) {
        if plan.parking != nil, !failure.isTransient, !failure.isNetworkDependent {
            note(.pull, pulled.write.id, pulled.name.description, failure, collection)
            return settle(pulled, error, collection)
        }
        if let number = pulled.number { refuse(number, error) }
        completed += 1
        collection.pull?.arrived(pulled.write.id)
        if let sequence = pulled.sequence { collection.pull?.abandon(sequence) }
    }

    /// A revision is durable, or of no use: answers it and is done with its row.
    func settle(_ pulled: PulledRevision, _ error: (any Error)?, _ collection: CollectionReplication) {
        if let number = pulled.number {
            if let error { refuse(number, error) } else { reply(.reply(to: number)) }
        }
        close(pulled.write.id, pulled.sequence, collection)
    }
}
