import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Migration
import ReplicationService
import Storage

/// Measures the values that the gates check.
struct CutoverMeter: Sendable {
    /// The most documents that are examined for truncated histories.
    private static let examined = 10_000

    /// The time without a response after which a comparison fails, and the most attempts at each request. A caller waits for the
    /// comparison.
    private static let timeout = Duration.seconds(15)
    private static let attempts = 2

    let database: Database
    let store: any Store

    /// The store for writes that only the bridge that does the database's work may make.
    let work: any Store

    /// The lease of that work; `nil` where no other bridge can have the store.
    let lease: WorkLease?
    let replications: Replications
    let configuration: CutoverConfiguration
    let probe = ScopeProbe()

    /// Measures everything except parity, which takes long. The result has the last comparison instead.
    ///
    /// - Parameters:
    ///   - legacy: the replication with the old server, as currently configured.
    ///   - asksScope: whether to query the old server for the login's channels even if a recent result is cached.
    func measure(
        at stage: CutoverStage, legacy: ReplicationDefinition?, asksScope: Bool = false
    ) async throws -> CutoverMeasurements {
        var measured = CutoverMeasurements(time: Timestamp.now)
        measured.database = database.name
        measured.isPulling = stage.pullsFromLegacy
        if !stage.isDetached, let legacy { measured.scope = await probe.scope(of: legacy, isFresh: asksScope) }
        measured.lag = stage.isDetached ? .seconds(0) : await lag()
        let since = measured.time - configuration.limits.oldClientsQuietFor * 1_000
        measured.oldClients = try await database.visits.clientCount(ofGeneration: 1, since: since)
        measured.oldFeeds = database.visits.openFeeds
        return try await store.read { [measured] snapshot in
            var measured = measured
            measured.parked = try parkedCount(in: snapshot)
            measured.parity = try Self.lastComparison(in: snapshot, with: legacy)
            if stage == .complete { measured.truncatedHistories = try Self.truncatedHistories(in: snapshot) }
            return measured
        }
    }

    /// The result of the last comparison with the old server; `nil` if this stage has none yet.
    func lastComparison(with legacy: ReplicationDefinition?) async throws -> ParityResult? {
        try await store.read { try Self.lastComparison(in: $0, with: legacy) }
    }

    private static func lastComparison(in snapshot: any StoreSnapshot, with legacy: ReplicationDefinition?) throws -> ParityResult? {
        // A comparison is valid only for the login with which it was made.
        try CutoverJournal.parity(in: snapshot).flatMap { $0.login == legacy?.login ? $0 : nil }
    }

    /// The number of parked revisions of the replications with both servers.
    func parkedCount() async throws -> Int {
        try await store.read { try parkedCount(in: $0) }
    }

    private func parkedCount(in snapshot: any StoreSnapshot) throws -> Int {
        try [configuration.legacy, configuration.modern].compactMap { $0 }.reduce(0) {
            try $0 + snapshot.parkedCount(ParkedSelection(replication: $1))
        }
    }

    /// Compares both servers.
    ///
    /// - Parameters:
    ///   - bodies: the number of documents whose bodies are compared, overriding the configuration.
    ///   - progress: called after each batch.
    /// - Throws: `CancellationError`; ``ReplicationSetupError``.
    func compare(
        at stage: CutoverStage, _ definition: ReplicationDefinition, bodies: CutoverRequest.Bodies?,
        progress: @escaping @Sendable (MigrationProgress) -> Void
    ) async throws -> ParityFindings {
        let limit: Int? =
            switch bodies {
            case .all: nil
            case .count(let count): count
            case nil: configuration.limits.bodies
            }
        let compared = try await CutoverJournal(store: store).bodies(of: definition.target.description)
        let refusesBranches = try await refusesBranches(definition)
        var asked = definition.directed(.pull)
        asked.maxAttempts = Self.attempts
        // The check closes the source, so nothing may fail between both.
        let source = LegacyServerSource(
            try ReplicationBuilder.reader(asked, patience: Self.timeout), label: definition.target.description)
        var found = try await ParityCheck(
            of: store, named: database.name, with: source, countsExtras: definition.isOfEverything, countsOnlyLosses: !stage.pushesToLegacy,
            refusesBranches: refusesBranches, bodies: compared, limit: limit
        ).run(progress: progress)
        found.result.login = definition.login
        return found
    }

    /// Whether the old server has refused a branch before.
    private func refusesBranches(_ definition: ReplicationDefinition) async throws -> Bool {
        guard case .server(let address) = definition.target else { return false }
        return try await ReplicationBuilder.isSingleBranch(at: address, in: store)
    }

    /// The largest lag of the replications.
    private func lag() async -> LagMeasurement {
        if let lease, !lease.isHeld { return .unknown("\(lease.holder) runs the replications; ask there") }
        var worst = LagMeasurement.seconds(0)
        for name in [configuration.legacy, configuration.modern].compactMap({ $0 }) {
            switch (await replications.lag(of: name), worst) {
            case (.unknown(let why), _): return .unknown("\(name): \(why)")
            case (.seconds(let lag), .seconds(let most)) where lag > most: worst = .seconds(lag)
            default: break
            }
        }
        return worst
    }

    /// The number of documents changed since the old server was detached whose first revisions have been pruned. The pruned revisions may
    /// include those that the old server has.
    private static func truncatedHistories(in snapshot: any StoreSnapshot) throws -> Int {
        guard let detached = try CutoverJournal.detached(in: snapshot) else { return 0 }
        var count = 0
        try snapshot.feed(.unified, FeedStretch(after: detached, limit: examined)) { row in
            let tree = try snapshot.document(row.key)?.tree
            let roots = tree?.leaves.compactMap { tree?.history(of: $0.id).last }
            if roots?.contains(where: { $0.generation > 1 }) == true { count += 1 }
            return true
        }
        return count
    }
}

extension ReplicationDefinition {
    /// Whether everything on the other side is replicated.
    fileprivate var isOfEverything: Bool { channels.isEmpty && documentIDs.isEmpty && filter == nil }
}
