public import Documents
import Gateway
import Storage
import Synchronization

extension ReplicationRun {
    /// Tries refused revisions again, and nothing else: no feed is read, and no checkpoint moves.
    ///
    /// - Throws: ``ReplicationError`` if it cannot go on; `CancellationError`.
    func tryAgain(_ revisions: [RefusedRevision]) async throws {
        // Somebody waits for the answer, and can ask again.
        var limits = limits
        limits.requestDelays = []
        let remote = try RemoteDatabase(url, settings: settings, limits: limits, clock: clock, transport: transport)
        do {
            try await remote.logIn()
            var rest = revisions[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(limits.batch))
                rest = rest.dropFirst(batch.count)
                try await tryAgain(batch, remote)
            }
        } catch {
            await remote.close()
            throw error
        }
        await remote.close()
    }

    private func tryAgain(_ batch: [RefusedRevision], _ remote: RemoteDatabase) async throws {
        let notes: [ParkingOutcome]
        switch direction {
        case .push:
            let standing = try await standing(batch)
            let sender = RevisionSender(keyspace: keyspace, remote: remote, limits: limits)
            try await sender.recall()
            let sent = try await sender.send(standing.map { LocalRevisionReader.Leaf(id: $0.id, revision: $0.revision) }) { event in
                if case .documents = event { report(event) }
            }
            // What something newer has followed is of no concern any more.
            let overtaken = Set(batch).subtracting(standing)
            notes = sent.notes + overtaken.map { ParkingOutcome(.push, id: $0.id, revision: $0.revision.text) }
        case .pull: notes = try await fetchAgain(batch, remote)
        }
        do {
            try await settings.parking?.note(notes, in: keyspace)
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// The revisions that are leaves here still.
    private func standing(_ batch: [RefusedRevision]) async throws -> [RefusedRevision] {
        try await keyspace.read { snapshot in
            try batch.filter { entry in try snapshot.document(entry.id)?.tree.leaves.contains { $0.id == entry.revision } ?? false }
        }
    }

    /// Fetches the revisions that are still missing here.
    private func fetchAgain(_ batch: [RefusedRevision], _ remote: RemoteDatabase) async throws -> [ParkingOutcome] {
        let differences = try await keyspace.difference(batch.map { ($0.id, [$0.revision]) })
        let wanted = differences.flatMap { id, difference in
            difference.missing.map {
                WantedRevision(
                    id: id, revision: $0, isDeleted: false, ancestors: Array(difference.possibleAncestors.prefix(limits.ancestors)),
                    ticket: 0)
            }
        }
        let missing = Set(wanted.map { RefusedRevision(id: $0.id, revision: $0.revision) })
        let gathered = Mutex(batch.filter { !missing.contains($0) }.map { ParkingOutcome(.pull, id: $0.id, revision: $0.revision.text) })
        let fetcher = RevisionFetcher(keyspace: keyspace, remote: remote, limits: limits)
        try await fetcher.fetch(wanted) { outcomes in
            gathered.withLock { $0 += RevisionFetcher.notes(outcomes) }
            report(
                .documents(
                    outcomes.map { DocumentTransfer(id: $0.wanted.id, revision: $0.wanted.revision, error: $0.error) }))
        }
        return gathered.withLock { $0 }
    }
}

/// A revision that one side has refused, and that is to be tried again.
public struct RefusedRevision: Sendable, Hashable {
    public let id: String
    public let revision: RevisionID

    public init(id: String, revision: RevisionID) {
        self.id = id
        self.revision = revision
    }
}
