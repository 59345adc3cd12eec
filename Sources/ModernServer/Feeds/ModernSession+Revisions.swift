import Access
import BLIP
import Documents
import Gateway
import ModernProtocol

extension ModernSession {
    /// Has revisions sent after those that are being sent.
    func send(revisionsOf revisions: WantedRevisions) {
        wanted.append(revisions)
        guard !isSendingRevisions else { return }
        isSendingRevisions = true
        jobs.append { await $0.sendRevisions() }
    }

    /// Sends revisions that the client has asked for, in its order, until it has them all.
    func sendRevisions() async {
        while !wanted.isEmpty, !isEnded {
            let next = wanted[0]
            do {
                try await send(next)
            } catch {
                await fail(error)
            }
            wanted.removeFirst()
            next.feed.leavePlace()
        }
        isSendingRevisions = false
    }

    private func send(_ wanted: WantedRevisions) async throws {
        guard let collection = collections[wanted.collection] else { return }
        try await recordLegacyRevisions(wanted, collection.keyspace)
        let reader = RevisionReader(
            maxHistory: wanted.maxHistory, takesBlobsInPlace: wanted.takesBlobsInPlace,
            takesReplacements: wanted.feed.request.takesReplacements, deltas: wanted.deltas,
            copy: copy(of: collection), tellsTrees: wanted.feed.request.takesTrees,
            tellsClients: wanted.feed.request.takesClients && collection.keyspace.principal.isAdministrator,
            properties: collection.properties(), maxBytes: limits.bytesInRead)
        var rest = wanted.revisions[...]
        while !rest.isEmpty, !isEnded {
            var slice = rest.prefix(limits.revisionsInRead)
            for index in slice.indices { slice[index].sentBefore = collection.sent[slice[index].row.id] }
            let revisions = try await read(slice, with: reader, from: collection.keyspace)
            for (revision, request) in zip(revisions, rest) {
                await room()
                send(revision, request, wanted)
                if wanted.deltas == .all { collection.sent.note(request.row.revision, of: request.row.id) }
            }
            rest = rest.dropFirst(revisions.count)
        }
    }

    /// Reads revisions. What takes the place of one that is gone needs a version that is stored before it is told.
    private func read(
        _ wanted: ArraySlice<WantedRevision>, with reader: RevisionReader, from keyspace: Keyspace
    ) async throws -> [OutgoingRevision] {
        let revisions = try await keyspace.read { try reader.read(wanted, in: $0) }
        let unversioned = Set(revisions.compactMap(\.unversioned))
        guard !unversioned.isEmpty else { return revisions }
        try await keyspace.assignVersions(to: unversioned)
        return try await keyspace.read { try reader.read(wanted, in: $0) }
    }

    /// Remembers what the client has of these documents from before its database was upgraded to versions, before it gets them: it tells it once.
    private func recordLegacyRevisions(_ wanted: WantedRevisions, _ keyspace: Keyspace) async throws {
        guard let copy = collections[wanted.collection].flatMap({ self.copy(of: $0) }) else { return }
        let known = wanted.revisions.filter { !$0.ancestors.isEmpty }.map { ($0.row.id, $0.known) }
        guard !known.isEmpty else { return }
        try await keyspace.recordLegacyRevisions(known, copy: copy)
    }

    private func send(_ revision: OutgoingRevision, _ request: WantedRevision, _ wanted: WantedRevisions) {
        let number: UInt64?
        if let saved = revision.savedBytes {
            deltaCounter.note { $0.noteSent(saving: saved) }
            let sent = SentDelta(wanted: wanted.only(request), isConfirmed: revision.isConfirmed)
            number = send(revision.message, awaiting: .delta(sent))
            if number != nil, sent.isConfirmed { wanted.feed.noteUnstored() }
        } else if revision.isConfirmed || !revision.attachments.isEmpty {
            let sent = UnansweredRevision(
                collection: wanted.collection, id: revision.id, feed: wanted.feed, isConfirmed: revision.isConfirmed)
            number = send(revision.message, awaiting: .revision(sent))
            if number != nil, sent.isConfirmed { wanted.feed.noteUnstored() }
        } else {
            number = send(revision.message)
        }
        guard let number, !revision.attachments.isEmpty else { return }
        // Until the client has answered, it may ask for the revision's attachments.
        permits.grant(revision.attachments, of: revision.id, in: wanted.collection, until: number)
    }
}

/// The revisions that were sent to a client last, by document: it may not have stored them yet when it says what it has.
struct SentRevisions {
    /// How many documents are remembered: more than are on their way at a time.
    private static let limit = 1_000

    private var recent: [ExactString: String] = [:]
    private var earlier: [ExactString: String] = [:]

    subscript(id: String) -> String? {
        let id = ExactString(id)
        return recent[id] ?? earlier[id]
    }

    mutating func note(_ revision: String, of id: String) {
        if recent.count >= Self.limit / 2 {
            earlier = recent
            recent = [:]
        }
        recent[ExactString(id)] = revision
    }
}
