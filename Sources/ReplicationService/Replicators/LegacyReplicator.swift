import BridgeConfiguration
import Coordination
import Documents
import Gateway
import LegacyClient
import Storage

/// A replication with a 1.x server: a push, a pull, or a pair of both.
actor LegacyReplicator: BridgeReplicator {
    private let halves: [Replication]
    private let collection: String

    /// The last processed status of each half; `active` from its start on.
    private var processed: [ReplicationStatus]
    private var listeners = Broadcaster<ReplicationReport>(capacity: 4_096)
    private var pumps: [Task<Void, Never>] = []
    private var resetFailure: ReplicationFailure?

    /// The number of restorations that each half has found and the other halves have been restarted for.
    private var restorations: [Int]

    /// Counts restorations of the server. All that the halves find until all have caught up again is one restoration.
    private var restored: RestorationCount

    init(_ halves: [Replication], collection: String) {
        self.halves = halves
        self.collection = collection
        processed = halves.map { _ in .stopped }
        restorations = halves.map { _ in 0 }
        restored = RestorationCount(halves: halves.count)
    }

    deinit {
        for pump in pumps { pump.cancel() }
        listeners.finish()
    }

    func start(reset: Bool) async {
        listen()
        resetFailure = nil
        if reset {
            do {
                for half in halves {
                    try await half.resetCheckpoint()
                    try await half.parking?.beginAnew()
                }
            } catch {
                resetFailure = ReplicationFailure(.unreachable, "The checkpoint cannot be reset: \(error)")
                return listeners.send(.state(state))
            }
        }
        processed = halves.map { _ in .active }
        for half in halves { half.start() }
    }

    func stop() {
        for half in halves { half.stop() }
    }

    func tryAgain(_ parked: [ParkedRevision]) async throws {
        for half in halves {
            let direction: ParkedDirection = half.direction == .push ? .push : .pull
            let collection = half.localDatabase.parkingName
            let revisions = parked.filter { $0.direction == direction && $0.collection == collection }.compactMap { entry in
                RevisionID(entry.revision).map { RefusedRevision(id: entry.id, revision: $0) }
            }
            guard !revisions.isEmpty else { continue }
            do {
                try await half.tryAgain(revisions)
            } catch let error as ReplicationError {
                throw ReplicationFailure(error)
            }
        }
    }

    func reports() -> AsyncStream<ReplicationReport> {
        listen()
        return listeners.subscribe(beginningWith: .state(state))
    }

    func position() async -> ReplicationPosition {
        var position = ReplicationPosition()
        for half in halves {
            let saved = try? await half.savedSequence()
            switch half.direction {
            case .pull: position.pulled = saved
            case .push: position.pushed = saved
            }
        }
        return position
    }

    private func listen() {
        guard pumps.isEmpty else { return }
        for (index, half) in halves.enumerated() {
            let notices = half.notices()
            pumps.append(
                Task { [weak self] in
                    for await update in notices { await self?.process(update, ofHalf: index) }
                })
        }
    }

    private func process(_ update: ReplicationUpdate, ofHalf index: Int) {
        switch update {
        case .change(let change):
            processed[index] = change.status
            restored.record(change, ofHalf: index)
            if change.restorations > restorations[index] {
                restorations[index] = change.restorations
                beginAnew(but: index)
            }
            listeners.send(.state(state))
        case .documents(let documents):
            let isPush = halves[index].direction == .push
            listeners.send(
                .documents(
                    documents.map { document in
                        ReplicationOutcome(
                            id: document.id, collection: collection, isPush: isPush, isDeleted: document.isDeleted,
                            failure: document.error.map { ReplicationFailure($0) })
                    }))
        }
    }

    /// Restarts the other halves, which may be idle, after one half has found the server restored.
    private func beginAnew(but index: Int) {
        for (other, half) in halves.enumerated() where other != index && half.continuous && half.status != .stopped {
            restored.willRestart(other)
            half.restart()
        }
    }

    /// The combined state. It is stopped once all halves are stopped and all their earlier updates have been processed.
    private var state: ReplicationState {
        var state = ReplicationState(of: halves.map { ($0.direction, $0.change) })
        if state.activity == .stopped, !processed.allSatisfy({ $0 == .stopped }) { state.activity = .busy }
        if let resetFailure { state.failure = resetFailure }
        state.restorations = restored.count
        return state
    }
}

extension ReplicationState {
    /// The combined state of a push, a pull, or a pair of both.
    init(of halves: [(direction: ReplicationDirection, change: ReplicationChange)]) {
        self.init()
        let changes = halves.map(\.change)
        let stopped = changes.filter { $0.status == .stopped }
        if stopped.count == changes.count {
            activity = .stopped
        } else if changes.contains(where: { $0.status == .active }) {
            activity = .busy
        } else {
            activity = changes.contains { $0.status == .offline || $0.isInterrupted } ? .offline : .idle
        }
        if activity != .stopped { halfFailure = stopped.lazy.compactMap(\.lastError).first.map { ReplicationFailure($0) } }
        for (direction, change) in halves {
            completed += change.completedChangesCount
            total += change.changesCount
            bytes += change.byteCount
            restoration = change.lastRestoration?.message ?? restoration
            switch direction {
            case .pull: checkedPulling += change.checkedChangesCount
            case .push: checkedPushing += change.checkedChangesCount
            }
        }
        // The error that stopped one half is more important than errors of the other.
        failure = halfFailure ?? changes.lazy.compactMap(\.lastError).first.map { ReplicationFailure($0) }
    }
}

extension ReplicationFailure {
    init(_ error: ReplicationError) {
        let status = (400..<600).contains(error.code.rawValue) ? error.code.rawValue : nil
        self.init(error.remedy != .tryAgain && error.code != .untrusted ? .refused : .unreachable, status: status, error.text)
    }
}

/// Counts how often a server was restored. Each half of a replication detects a restoration separately; all that they detect until all have
/// caught up again counts once.
struct RestorationCount: Sendable {
    private(set) var count = 0
    private var isUnderWay = false

    /// The number of restorations that each half has found.
    private var found: [Int]
    private var isCaughtUp: [Bool]

    /// The halves that were told to restart. Their `idle` status is from before the restart until they report another one.
    private var restarting: Set<Int> = []

    init(halves: Int) {
        found = Array(repeating: 0, count: halves)
        isCaughtUp = Array(repeating: false, count: halves)
    }

    mutating func willRestart(_ half: Int) {
        restarting.insert(half)
        isCaughtUp[half] = false
    }

    mutating func record(_ change: ReplicationChange, ofHalf half: Int) {
        if change.status != .idle { restarting.remove(half) }
        let isIdle = change.status == .idle && !change.isInterrupted && !restarting.contains(half)
        isCaughtUp[half] = isIdle || change.status == .stopped
        if change.restorations > found[half] {
            found[half] = change.restorations
            isCaughtUp[half] = false
            if !isUnderWay { count += 1 }
            isUnderWay = true
        } else if isCaughtUp.allSatisfy({ $0 }) {
            isUnderWay = false
        }
    }
}
