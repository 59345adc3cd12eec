import BridgeConfiguration
import Cutover
import Gateway
import HTTPTypes
import ReplicationService
import Storage

/// The work that must run once, whatever the number of bridges.
extension RunningDatabase {
    /// Starts the replications, with the directions of the stage. Where other bridges may have the store, they and the other work that must run
    /// once begin when this bridge has the lease.
    func openReplications() async throws {
        guard let lease else { return try await replications.open(served.replications(at: stage)) }
        await lease.start(
            facts: { [weak self] in self.map { WorkLease.Facts(clients: $0.clientCount, stage: $0.stage?.rawValue) } ?? WorkLease.Facts() },
            work: WorkLease.Work(
                begin: { [weak self] in try await self?.beginWork() }, end: { [weak self] in await self?.endWork() }))
        if !lease.isHeld { await enterAnnouncedStage() }
    }

    /// Enters a stage that was announced before this bridge was in the list: nobody waits for that. If the store fails, the watch follows later.
    private func enterAnnouncedStage() async {
        guard let present = stage else { return }
        let followed = (try? await store.read { try CutoverJournal.followedStage(in: $0) }) ?? nil
        if let next = followed.flatMap({ CutoverStage(rawValue: $0) }), next != present { await enter(next) }
    }

    /// The open connections and feeds of clients.
    private var clientCount: Int { Activity.Kind.allCases.reduce(0) { $0 + database.activity[$1] } }

    /// Begins the work that must run once.
    private func beginWork() async throws {
        // A step that another bridge has begun, and not ended, is void.
        if let stored = try await cutover?.abandonedStep(), stored != stage { await enter(stored) }
        try await startMaintenance()
        try await replications.open(served.replications(at: stage))
    }

    /// Ends the work that must run once.
    private func endWork() async {
        await replications.close()
        await resync.stop()
        await moves.stop()
        await expiry.stop()
        await misplaced.stop()
    }

    /// Starts the work in the background besides replications.
    func startMaintenance() async throws {
        try await resync.resume()
        try await moves.resume()
        expiry.start()
        misplaced.start()
    }

    /// Whether other bridges serve the database, too.
    var isServedElsewhere: Bool { lease?.otherNames.isEmpty == false }

    /// Whether devices may be passed on to the old server.
    var permitsPassingOn: Bool { lease?.permitsPassingOn ?? true }

    /// Refuses work that another bridge does.
    func requireWork() throws(AdminError) { try lease?.requireHeld() }
}
