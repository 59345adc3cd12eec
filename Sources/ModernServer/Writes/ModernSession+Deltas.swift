import BLIP
import Coordination
import Gateway
import ModernProtocol
import Storage

extension ModernSession {
    /// Queues a pushed delta. Deltas that arrive together are applied together.
    func enqueue(_ delta: IncomingDelta, in handle: CollectionHandle, _ collection: SessionCollection) {
        collection.deltas.append(delta)
        load.revisions += 1
        load.bytes += delta.request.body.count
        // The job processes all deltas that are queued when it starts.
        if collection.deltas.count == 1 { jobs.append { await $0.completeDeltas(of: handle) } }
    }

    private func completeDeltas(of handle: CollectionHandle) async {
        guard let collection = collections[handle], !isEnded else { return }
        let deltas = collection.deltas
        collection.deltas = []
        var waiting: [IncomingRevision] = []
        var isWriter = false
        var rest = deltas[...]
        while !rest.isEmpty, !isEnded {
            let bodies = await bodies(rest, collection.keyspace)
            for (delta, body) in zip(rest, bodies) {
                load.revisions -= 1
                load.bytes -= delta.request.body.count
                do {
                    let body = try body.get()
                    let revision = try incoming(delta.request, body, collection)
                    deltaCounter.update { $0.recordReceived(delta.request.body.count, whole: body.count) }
                    if revision.write.attachments == nil {
                        isWriter = enqueue(revision, in: collection) || isWriter
                    } else {
                        try beginAttachments(of: revision)
                        waiting.append(revision)
                    }
                } catch {
                    if BLIPRequestError(error).code == .unprocessable { deltaCounter.update { $0.refused += 1 } }
                    refuse(delta.request.number, error)
                }
            }
            rest = rest.dropFirst(bodies.count)
            capacityFreed.notifyAll()
        }
        await finish(waiting, isWriter: isWriter, handle, collection.keyspace)
    }

    private func bodies(_ deltas: ArraySlice<IncomingDelta>, _ keyspace: Keyspace) async -> [Result<[UInt8], BLIPRequestError>] {
        let maxBytes = limits.bytesInRead
        do {
            return try await keyspace.read { try IncomingDelta.bodies(deltas, in: $0, maxBytes: maxBytes) }
        } catch {
            return deltas.map { _ in .failure(BLIPRequestError(error)) }
        }
    }

    /// Writes the complete revisions while the attachments of the others are fetched.
    private func finish(_ waiting: [IncomingRevision], isWriter: Bool, _ handle: CollectionHandle, _ keyspace: Keyspace) async {
        await withDiscardingTaskGroup { group in
            if isWriter { group.addTask { await self.write(handle) } }
            for revision in waiting { group.addTask { await self.completeAndWrite(revision, in: handle, keyspace) } }
        }
    }

    /// Processes the client's reply to a revision that was sent as a delta.
    func receiveReply(_ reply: BLIPMessage, to sent: SentDelta) {
        permits.release(reply.number)
        defer { if sent.isConfirmed { sent.wanted.feed.recordStored() } else { sent.wanted.feed.notify() } }
        guard reply.type == .error else { return }
        deltaCounter.update { $0.sentInVain += 1 }
        // Sync Gateway sends the whole revision for 422 and 404; LiteCore's own codes are 31 and 32.
        guard [422, 404, 31, 32].contains(reply.errorCode ?? 0) else {
            for revision in sent.wanted.revisions { collections[sent.wanted.collection]?.sent.remove(revision.row.id) }
            return
        }
        var whole = sent.wanted
        whole.deltas = .none
        sent.wanted.feed.addInFlight()
        send(revisionsOf: whole)
    }
}
