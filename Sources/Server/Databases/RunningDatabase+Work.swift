import BridgeConfiguration
import Cutover
import Gateway
import HTTPTypes
import ReplicationService

/// The work that must run once, whatever the number of bridges.
extension RunningDatabase {
    /// Starts the replications, with the directions of the stage. Where other bridges may have the store, they and the other work that must run
    /// once begin when this bridge has the lease.
    func openReplications() async throws {
        guard let lease else { return try await replications.open(served.replications(at: stage)) }
        await lease.start(
            clients: { [weak self] in self?.clientCount ?? 0 },
            work: WorkLease.Work(
                begin: { [weak self] in try await self?.beginWork() }, end: { [weak self] in await self?.endWork() }))
    }

    /// The open connections and feeds of clients.
    private var clientCount: Int { Activity.Kind.allCases.reduce(0) { $0 + database.activity[$1] } }

    /// Begins the work that must run once.
    private func beginWork() async throws {
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

    /// Refuses work that another bridge does.
    func requireWork() throws(AdminError) { try lease?.requireHeld() }
}
