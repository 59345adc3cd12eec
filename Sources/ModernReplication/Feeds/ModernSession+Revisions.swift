import BLIP
import Gateway

extension ModernSession {
    /// Sends revisions that the client has asked for, in its order, until it has them all.
    func sendRevisions() async {
        while !wanted.isEmpty, !isEnded {
            let next = wanted.removeFirst()
            do {
                try await send(next)
            } catch {
                await fail(error)
            }
            next.feed.leavePlace()
        }
        isSendingRevisions = false
    }

    private func send(_ wanted: WantedRevisions) async throws {
        guard let collection = collections[wanted.collection] else { return }
        let reader = RevisionReader(
            maxHistory: wanted.maxHistory, takesBlobsInPlace: wanted.takesBlobsInPlace,
            takesReplacements: wanted.feed.request.takesReplacements,
            properties: collection.properties(), maxBytes: limits.bytesInRead)
        var rest = wanted.revisions[...]
        while !rest.isEmpty, !isEnded {
            let slice = rest.prefix(limits.revisionsInRead)
            let revisions = try await collection.keyspace.read { try reader.read(slice, in: $0) }
            for revision in revisions {
                await room()
                send(revision, of: wanted.collection)
            }
            rest = rest.dropFirst(revisions.count)
        }
    }

    private func send(_ revision: OutgoingRevision, of handle: CollectionHandle) {
        guard !revision.attachments.isEmpty else {
            _ = send(revision.message)
            return
        }
        // Until the client has answered, it may ask for the revision's attachments.
        guard let number = send(revision.message, awaiting: .revision) else { return }
        permits.grant(revision.attachments, of: revision.id, in: handle, until: number)
    }
}
