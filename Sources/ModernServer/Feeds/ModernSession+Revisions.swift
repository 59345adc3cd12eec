import Access
import BLIP
import Documents
import Gateway
import ModernProtocol

extension ModernSession {
    /// Queues revisions behind those that are being sent.
    func send(revisionsOf revisions: WantedRevisions) {
        wanted.append(revisions)
        guard !isSendingRevisions else { return }
        isSendingRevisions = true
        jobs.append { await $0.sendRevisions() }
    }

    /// Sends the queued revisions in the order of the client's requests.
    func sendRevisions() async {
        while !wanted.isEmpty, !isEnded {
            let next = wanted[0]
            do {
                try await send(next)
            } catch {
                await fail(error)
            }
            wanted.removeFirst()
            next.feed.removeInFlight()
        }
        isSendingRevisions = false
    }

    private func send(_ wanted: WantedRevisions) async throws {
        guard let collection = collections[wanted.collection] else { return }
        try await recordLegacyRevisions(wanted, collection.keyspace)
        let reader = WantedRevisionReader(
            maxHistory: wanted.maxHistory, takesBlobsInPlace: wanted.takesBlobsInPlace,
            takesReplacements: wanted.feed.request.takesReplacements, deltas: wanted.deltas,
            copy: copy(of: collection), sendsTrees: wanted.feed.request.takesTrees,
            sendsClients: wanted.feed.request.takesClients && collection.keyspace.principal.isAdministrator,
            properties: collection.properties(), maxBytes: limits.bytesInRead)
        // Revisions that have to wait are sent last.
        let held = Set(wanted.revisions.indices.filter { collection.writes.isRequested(wanted.revisions[$0].row.id) })
        try await send(wanted.revisions.indices.filter { !held.contains($0) }, of: wanted, reader, collection)
        try await send(held.sorted(), of: wanted, reader, collection)
    }

    private func send(
        _ indices: [Int], of wanted: WantedRevisions, _ reader: WantedRevisionReader, _ collection: SessionCollection
    ) async throws {
        var rest = indices.map { wanted.revisions[$0] }[...]
        while !rest.isEmpty, !isEnded {
            var slice = rest.prefix(limits.revisionsInRead)
            await waitForWrites(to: slice.map(\.row.id), in: wanted.collection)
            for index in slice.indices {
                let row = slice[index].row
                slice[index].sentBefore = collection.sent[row.id]
                slice[index].isWritten = collection.written[row.id] != nil
                // Before the revision is read: whatever the client writes meanwhile is compared with it.
                collection.sent.record(row.revision, of: row.id)
            }
            let revisions = try await read(slice, with: reader, from: collection.keyspace)
            for (revision, request) in zip(revisions, rest) {
                await waitForQueueSpace()
                send(revision, request, wanted)
                if revision.isMissing { collection.sent.remove(request.row.id) }
            }
            rest = rest.dropFirst(revisions.count)
        }
    }

    /// Reads revisions. A replacement for a revision that is gone needs a version, which is stored before it is sent.
    private func read(
        _ wanted: ArraySlice<WantedRevision>, with reader: WantedRevisionReader, from keyspace: Keyspace
    ) async throws -> [OutgoingRevision] {
        let revisions = try await keyspace.read { try reader.read(wanted, in: $0) }
        let unversioned = Set(revisions.compactMap(\.unversioned))
        guard !unversioned.isEmpty else { return revisions }
        try await keyspace.assignVersions(to: unversioned)
        return try await keyspace.read { try reader.read(wanted, in: $0) }
    }

    /// Records the client's tree revisions of these documents from before its database was upgraded to versions. The client sends them only
    /// once, so they are recorded before the revisions are sent.
    private func recordLegacyRevisions(_ wanted: WantedRevisions, _ keyspace: Keyspace) async throws {
        guard let copy = collections[wanted.collection].flatMap({ self.copy(of: $0) }) else { return }
        let known = wanted.revisions.filter { !$0.ancestors.isEmpty }.map { ($0.row.id, $0.known) }
        guard !known.isEmpty else { return }
        try await keyspace.recordLegacyRevisions(known, copy: copy)
    }

    private func send(_ revision: OutgoingRevision, _ request: WantedRevision, _ wanted: WantedRevisions) {
        let number: UInt64?
        if let saved = revision.savedBytes {
            deltaCounter.update { $0.recordSent(saving: saved) }
            let sent = SentDelta(wanted: wanted.only(request), isConfirmed: revision.isConfirmed)
            number = send(revision.message, awaiting: .delta(sent))
            if number != nil, sent.isConfirmed { wanted.feed.recordUnstored() }
        } else if revision.isConfirmed || !revision.attachments.isEmpty {
            let sent = UnansweredRevision(
                collection: wanted.collection, id: revision.id, feed: wanted.feed, isConfirmed: revision.isConfirmed)
            number = send(revision.message, awaiting: .revision(sent))
            if number != nil, sent.isConfirmed { wanted.feed.recordUnstored() }
        } else {
            number = send(revision.message)
        }
        guard let number, !revision.attachments.isEmpty else { return }
        // Until the client has answered, it may ask for the revision's attachments.
        permits.grant(revision.attachments, of: revision.id, in: wanted.collection, until: number)
    }
}

/// The last revision of each of the latest documents: those that were sent to a client, which it may not have stored yet when it lists or writes
/// its revisions, or those that it has written.
struct RecentRevisions {
    /// The number of recorded documents.
    static let limit = 1_000

    private struct Entry {
        let revision: String
        let time: ContinuousClock.Instant
    }

    private var recent: [ExactString: Entry] = [:]
    private var earlier: [ExactString: Entry] = [:]

    /// Whether all documents are recorded: none was forgotten.
    private var isComplete = true

    /// What the client is receiving of a document, if these are the revisions that were sent to it.
    ///
    /// - Parameter time: The time after which the client has received a revision.
    func receipt(of id: String, within time: Duration) -> RevisionWrite.Receipt {
        guard let entry = entry(id), let revision = RevisionID(entry.revision) else { return isComplete ? .nothing : .unknown }
        return entry.time.duration(to: .now) < time ? .revision(revision) : .unknown
    }

    private func entry(_ id: String) -> Entry? {
        let id = ExactString(id)
        return recent[id] ?? earlier[id]
    }

    subscript(id: String) -> String? { entry(id)?.revision }

    mutating func remove(_ id: String) {
        let id = ExactString(id)
        recent[id] = nil
        earlier[id] = nil
    }

    mutating func record(_ revision: String, of id: String) {
        if recent.count >= Self.limit / 2 {
            if !earlier.isEmpty { isComplete = false }
            earlier = recent
            recent = [:]
        }
        recent[ExactString(id)] = Entry(revision: revision, time: .now)
    }
}
