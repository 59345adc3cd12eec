import Coordination
import Cutover
import Foundation
import Gateway
import Logging
import ReplicationService
import Storage

/// The lease of a database's work that must run once, where several bridges may have its store.
///
/// The shell around ``BridgeMember``: it writes the signs of life, begins the work with the lease, and ends it without. Each write of the work
/// checks in its own transaction that this bridge still has the lease.
final class WorkLease: Sendable {
    /// The work.
    struct Work: Sendable {
        let begin: @Sendable () async throws -> Void
        let end: @Sendable () async -> Void
    }

    /// What the roster has about this bridge.
    struct Facts: Sendable {
        /// The open connections.
        var clients = 0

        /// The stage of the cutover that the database has entered; `nil` without a cutover.
        var stage: String?
    }

    private struct State {
        var member: BridgeMember
        var roster = BridgeRoster()

        /// The fence under which the work runs; `nil` if it does not run.
        var running: Int64?
        var work: Work?

        /// The stage of the cutover in the store, or the announced one, at the last sign of life; `nil` before the first step.
        var stage: CutoverStage?

        /// The facts for the roster. `nil` while this bridge is not in it.
        var facts: (@Sendable () -> Facts)?
    }

    /// How often the own lease is looked at.
    private static let glance = Duration.milliseconds(500)

    /// The limit of the wait for other bridges. These ask the store each second, and give a sign of life every two seconds.
    private static let patience = Duration.seconds(15)

    /// The limit of the last write, by which the lease is given back.
    private static let farewell = Duration.seconds(3)

    private let store: any StoreEngine
    private let id: String
    private let logger: Logger
    private let state: Lock<State>
    private let beats = BackgroundTask()
    private let worker = BackgroundTask()
    private let epoch = ContinuousClock.now

    /// - Parameters:
    ///   - bridge: the unique ID of this bridge.
    ///   - isStopping: whether the bridge stops soon, and takes no lease.
    init(_ store: any StoreEngine, bridge: String, isStopping: Bool = false, logger: Logger) {
        self.store = store
        self.logger = logger
        id = bridge
        let process = ProcessInfo.processInfo
        state = Lock(
            State(
                member: BridgeMember(
                    id: bridge, name: "\(process.hostName)/\(process.processIdentifier)",
                    started: Int64(Date.now.timeIntervalSince1970 * 1000), isStopping: isStopping)))
    }

    /// The bridge that does the work, for messages.
    var holder: String { holderName.map { "The bridge \($0)" } ?? "No bridge" }

    /// Whether the work runs here.
    var isHeld: Bool { state.withLock { $0.running != nil } }

    /// Whether devices may be passed on to the old server: what they write there is still pulled.
    ///
    /// Each sign of life renews this right if no step was announced that ends the pull. A later step waits for this bridge, or until it counts as
    /// dead; a bridge that was paused finds its right expired before that. The bridge with the lease ends the pull itself.
    var permitsPassingOn: Bool {
        let now = ContinuousClock.now - epoch
        return state.withLock { Self.permitsPassingOn($0.member, $0.roster, $0.stage, at: now) }
    }

    static func permitsPassingOn(_ member: BridgeMember, _ roster: BridgeRoster, _ stage: CutoverStage?, at now: Duration) -> Bool {
        guard roster.bridges.isEmpty || roster.bridges.keys.contains(where: { $0 != member.id }) else { return true }
        guard !member.isOverdue(at: now) else { return false }
        return member.lease != nil || stage?.pullsFromLegacy ?? true
    }

    /// The bridges as last read.
    var roster: BridgeRoster { state.withLock { $0.roster } }

    /// The time since a new sign of life of a bridge was seen here; `nil` for an unknown one.
    func silence(of bridge: String) -> Duration? {
        let now = ContinuousClock.now - epoch
        return state.withLock { $0.member.silence(of: bridge, at: now) }
    }

    /// The names of the other bridges, sorted.
    var otherNames: [String] { roster.bridges.filter { $0.key != id }.map(\.value.name).sorted() }

    /// The name of the bridge that does the work; `nil` if there is none.
    var holderName: String? { state.withLock { state in state.roster.holder.flatMap { state.roster.bridges[$0]?.name } } }

    /// Refuses a request for the work while another bridge does it.
    func requireHeld() throws(AdminError) {
        guard !isHeld else { return }
        throw .unavailable(
            "\(holder) does the replications, resyncs, migrations and steps of this database now; "
                + "send the request there, or try again in some seconds")
    }

    /// Waits until the other bridges have entered a stage of the cutover. A bridge without a sign of life has ended, or refuses requests because it
    /// does not reach the store.
    ///
    /// - Throws: ``AdminError`` if a bridge takes long.
    func awaitOthers(at stage: String) async throws {
        let end = ContinuousClock.now + Self.patience
        while let late = try await presentOthers().first(where: { $0.value.stage != stage && !isSilent($0.key) }) {
            guard ContinuousClock.now < end else {
                throw AdminError.unavailable(
                    "The bridge \(late.value.name) has not entered the stage \(stage). Look at its log and its configuration, and try again"
                )
            }
            try await suspend(for: Self.glance)
        }
    }

    /// The other bridges of the store. The last sign of life of this one may be older than the first one of another.
    private func presentOthers() async throws -> [String: BridgeRoster.Bridge] {
        try await store.read { try BridgeRoster(in: $0) }.bridges.filter { $0.key != id }
    }

    private func isSilent(_ bridge: String) -> Bool { silence(of: bridge).map { $0 >= BridgeMember.deathTime } ?? false }

    /// A store for the work's writes.
    func fenced(_ store: any Store) -> any Store {
        FencedStore(store) { [self] in try check($0) }
    }

    /// The database for the work.
    func fenced(_ database: Database) -> Database {
        database.fenced { [self] in try check($0) }
    }

    private func check(_ transaction: any StoreTransaction) throws {
        let fence = state.withLock { $0.running }
        guard let fence, try BridgeRoster(in: transaction).permits(id, fence) else {
            throw StorageError(.fenced, "\(store.path): another bridge does this work now.")
        }
    }

    /// Gives the first sign of life, begins the work if the lease is free, and goes on in the background.
    ///
    /// - Parameter facts: the facts for the roster.
    func start(facts: @escaping @Sendable () -> Facts, work: Work) async {
        state.withLock { ($0.work, $0.facts) = (work, facts) }
        await beat(facts())
        await apply()
        goOnBeating(facts)
        worker.start { [self] in
            while (try? await suspend(for: Self.glance)) != nil {
                state.withLock { $0.member.expire(at: .now - epoch) }
                await apply()
            }
        }
    }

    private func goOnBeating(_ facts: @escaping @Sendable () -> Facts) {
        beats.start { [self] in
            while (try? await suspend(for: BridgeMember.interval)) != nil { await beat(facts()) }
        }
    }

    /// Ends the work for good, so that another bridge takes it over at once. The signs of life go on until ``stop(leaves:)``.
    func resign() async {
        guard let facts = await endWork() else { return }
        state.withLock { $0.member.resign() }
        await beat(facts())
        goOnBeating(facts)
    }

    /// Ends the work and the signs of life.
    ///
    /// - Returns: The facts for the roster; `nil` if this bridge is not in it.
    private func endWork() async -> (@Sendable () -> Facts)? {
        await worker.stop()
        await beats.stop()
        let (work, facts) = state.withLock { state in
            defer { (state.running, state.work) = (nil, nil) }
            return (state.work, state.facts)
        }
        await work?.end()
        return facts
    }

    /// Ends the work and the signs of life.
    ///
    /// - Parameter leaves: whether another bridge may take the work over at once.
    func stop(leaves: Bool) async {
        guard await endWork() != nil else { return }
        state.withLock { $0.facts = nil }
        guard leaves else { return }
        let member = state.withLock { $0.member }
        do {
            try await withTimeout(Self.farewell) { [store] in
                try await store.write { transaction in
                    var roster = try BridgeRoster(in: transaction)
                    member.leave(&roster)
                    try roster.write(in: transaction)
                }
            }
        } catch {
            logger.warning("the lease could not be given back; another bridge takes the work over after its time")
        }
    }

    private func beat(_ facts: Facts) async {
        let (member, now) = (state.withLock { $0.member }, ContinuousClock.now - epoch)
        do {
            let (next, roster, stage) = try await store.write { transaction in
                var roster = try BridgeRoster(in: transaction)
                let next = member.beating(&roster, at: now, clients: facts.clients, stage: facts.stage)
                try roster.write(in: transaction)
                return (next, roster, try CutoverJournal.followedStage(in: transaction).flatMap { CutoverStage(rawValue: $0) })
            }
            state.withLock { ($0.member, $0.roster, $0.stage) = (next, roster, stage) }
        } catch {
            logger.debug("the bridge's sign of life could not be written", metadata: ["error": "\(error)"])
        }
    }

    /// Begins or ends the work as the lease requires.
    private func apply() async {
        let (lease, running, work) = state.withLock { ($0.member.lease, $0.running, $0.work) }
        guard lease != running, let work else { return }
        if running != nil {
            state.withLock { $0.running = nil }
            logger.warning("another bridge does the work of the database that must run once, or this one could not renew its lease")
            await work.end()
        }
        guard let lease else { return }
        state.withLock { $0.running = lease }
        do {
            try await work.begin()
            logger.notice("this bridge does the work of the database that must run once", metadata: ["fence": "\(lease)"])
        } catch {
            logger.error("the work of the database cannot begin; it is tried again", metadata: ["error": "\(error)"])
            state.withLock { $0.running = nil }
            await work.end()
        }
    }
}
