import Coordination
package import Documents
import Gateway
import Storage

extension LegacyReplicationRun {
    /// Tries only these refused revisions again; reads no feed and moves no checkpoint.
    ///
    /// - Throws: ``ReplicationError`` if it cannot continue; `CancellationError`.
    func tryAgain(_ revisions: [RefusedRevision]) async throws {
        // The caller is waiting for the result and can repeat the call.
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
        let outcomes: [ParkingOutcome]
        switch direction {
        case .push:
            let currentLeaves = try await currentLeaves(batch)
            let sender = RevisionSender(keyspace: keyspace, remote: remote, limits: limits)
            try await sender.loadSingleBranchRecord()
            let sent = try await sender.send(currentLeaves.map { LocalRevisionReader.Leaf(id: $0.id, revision: $0.revision) }) { event in
                if case .documents = event { report(event) }
            }
            // Revisions that a newer one has replaced need no retry.
            let overtaken = Set(batch).subtracting(currentLeaves)
            outcomes = sent.parkingOutcomes + overtaken.map { ParkingOutcome(.push, id: $0.id, revision: $0.revision.text) }
        case .pull: outcomes = try await fetchAgain(batch, remote)
        }
        do {
            try await settings.parking?.note(outcomes, in: keyspace)
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// The revisions that are still leaves here.
    private func currentLeaves(_ batch: [RefusedRevision]) async throws -> [RefusedRevision] {
        try await keyspace.read { snapshot in
            try batch.filter { entry in try snapshot.document(entry.id)?.tree.leaves.contains { $0.id == entry.revision } ?? false }
        }
    }

    /// Fetches the revisions that are still missing here.
    private func fetchAgain(_ batch: [RefusedRevision], _ remote: RemoteDatabase) async throws -> [ParkingOutcome] {
        let differences = try await keyspace.difference(batch.map { ($0.id, [$0.revision]) })
        let wanted = differences.flatMap { id, difference in
            difference.missing.map {
                MissingRevision(
                    id: id, revision: $0, isDeleted: false, ancestors: Array(difference.possibleAncestors.prefix(limits.ancestors)),
                    ticket: 0)
            }
        }
        let missing = Set(wanted.map { RefusedRevision(id: $0.id, revision: $0.revision) })
        let gathered = Lock(batch.filter { !missing.contains($0) }.map { ParkingOutcome(.pull, id: $0.id, revision: $0.revision.text) })
        let fetcher = RevisionFetcher(keyspace: keyspace, remote: remote, limits: limits)
        try await fetcher.fetch(wanted) { outcomes in
            gathered.withLock { $0 += RevisionFetcher.parkingOutcomes(outcomes) }
            report(
                .documents(
                    outcomes.map { DocumentTransfer(id: $0.wanted.id, revision: $0.wanted.revision, error: $0.error) }))
        }
        return gathered.withLock { $0 }
    }
}

/// A revision that one side has refused and that is to be tried again.
package struct RefusedRevision: Sendable, Hashable {
    package let id: String
    package let revision: RevisionID

    package init(id: String, revision: RevisionID) {
        self.id = id
        self.revision = revision
    }
}
