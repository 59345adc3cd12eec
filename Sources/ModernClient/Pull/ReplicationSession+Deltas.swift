import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Queues a delta from the server. Deltas that arrive together are applied together.
    func enqueue(_ delta: IncomingDelta, _ collection: CollectionReplication) {
        collection.deltas.append(delta)
        guard collection.deltas.count == 1 else { return }
        let handle = handle(of: collection)
        // The job processes all deltas that are queued when it starts.
        jobs.append { await $0.completeDeltas(of: $0.collections[handle]) }
    }

    private func completeDeltas(of collection: CollectionReplication) async {
        let deltas = collection.deltas
        collection.deltas = []
        collection.deltasUnderWay += deltas.count
        var waiting: [ReceivedRev] = []
        var rest = deltas[...]
        while !rest.isEmpty, !isEnded {
            let bodies: [Result<[UInt8], BLIPRequestError>]
            do {
                let maxBytes = limits.bytesInRead, deltas = rest
                bodies = try await collection.keyspace.read { try IncomingDelta.bodies(deltas, in: $0, maxBytes: maxBytes) }
            } catch {
                return await fail(error)
            }
            for (delta, body) in zip(rest, bodies) {
                collection.deltasUnderWay -= 1
                guard let pulled = complete(delta, body, collection) else { continue }
                if pulled.write.attachments == nil { collection.inbox.append(pulled) } else { waiting.append(pulled) }
            }
            rest = rest.dropFirst(bodies.count)
            changed.notifyAll()
        }
        collection.revisionsAwaitingAttachments += waiting.count
        let handle = handle(of: collection)
        await withDiscardingTaskGroup { group in
            for pulled in waiting { group.addTask { await self.fetchAttachments(of: pulled, handle) } }
        }
    }

    /// The revision; `nil` if the server has to send it whole, or if it can never be stored.
    private func complete(_ delta: IncomingDelta, _ body: Result<[UInt8], BLIPRequestError>, _ collection: CollectionReplication)
        -> ReceivedRev?
    {
        do {
            let body = try body.get()
            let pulled = try ReceivedRev(delta.request, subprotocol, body: body, maxSize: maxSize(of: collection))
            deltaCounter.update { $0.recordReceived(delta.request.body.count, whole: body.count) }
            return pulled
        } catch {
            reject(delta.request, error, collection)
            return nil
        }
    }
}
