import BridgeConfiguration
import Documents
import Gateway
import LegacyClient
import Storage

/// A replication with a 1.x server: a push, a pull, or a pair of both.
actor LegacyReplicator: Replication {
    private let halves: [LegacyClient.Replication]
    private let collection: String

    /// What each half has said last, as far as it has been listened to; `active` from its start on.
    private var heard: [ReplicationStatus]
    private var listeners: [AsyncStream<ReplicationReport>.Continuation] = []
    private var pumps: [Task<Void, Never>] = []
    private var resetFailure: ReplicationFailure?

    /// How often each half has found the server restored, as far as the others were told.
    private var restorations: [Int]

    /// How often the server was restored: what the halves find until all of them have caught up again is one restoration.
    private var restored: RestorationCount

    init(_ halves: [LegacyClient.Replication], collection: String) {
        self.halves = halves
        self.collection = collection
        heard = halves.map { _ in .stopped }
        restorations = halves.map { _ in 0 }
        restored = RestorationCount(halves: halves.count)
    }

    deinit {
        for pump in pumps { pump.cancel() }
        for listener in listeners { listener.finish() }
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
                return tell(.state(state))
            }
        }
        heard = halves.map { _ in .active }
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
        let (stream, continuation) = AsyncStream.makeStream(of: ReplicationReport.self, bufferingPolicy: .bufferingNewest(4_096))
        continuation.yield(.state(state))
        listeners.append(continuation)
        return stream
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
                    for await notice in notices { await self?.take(notice, ofHalf: index) }
                })
        }
    }

    private func take(_ notice: ReplicationUpdate, ofHalf index: Int) {
        switch notice {
        case .change(let change):
            heard[index] = change.status
            restored.heard(change, ofHalf: index)
            if change.restorations > restorations[index] {
                restorations[index] = change.restorations
                beginAnew(but: index)
            }
            tell(.state(state))
        case .documents(let documents):
            let isPush = halves[index].direction == .push
            tell(
                .documents(
                    documents.map { document in
                        ReplicationOutcome(
                            id: document.id, collection: collection, isPush: isPush, isDeleted: document.isDeleted,
                            failure: document.error.map { ReplicationFailure($0) })
                    }))
        }
    }

    /// One half has found the server restored: the others, which may be idle, have to look, too.
    private func beginAnew(but index: Int) {
        for (other, half) in halves.enumerated() where other != index && half.continuous && half.status != .stopped {
            restored.willRestart(other)
            half.restart()
        }
    }

    /// Both halves together. They are stopped when both are, and all that they said before has been heard.
    private var state: ReplicationState {
        var state = ReplicationState(of: halves.map { ($0.direction, $0.change) })
        if state.activity == .stopped, !heard.allSatisfy({ $0 == .stopped }) { state.activity = .busy }
        if let resetFailure { state.failure = resetFailure }
        state.restorations = restored.count
        return state
    }

    private func tell(_ report: ReplicationReport) {
        listeners = listeners.filter { listener in
            if case .terminated = listener.yield(report) { return false }
            return true
        }
    }
}

extension ReplicationState {
    /// A push, a pull, or a pair of both.
    init(of halves: [(direction: LegacyClient.ReplicationDirection, change: ReplicationChange)]) {
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
        // Why one of them has stopped says more than what the other one met.
        failure = halfFailure ?? changes.lazy.compactMap(\.lastError).first.map { ReplicationFailure($0) }
    }
}

extension ReplicationFailure {
    init(_ error: ReplicationError) {
        let status = (400..<600).contains(error.code.rawValue) ? error.code.rawValue : nil
        self.init(error.remedy != .tryAgain && error.code != .untrusted ? .refused : .unreachable, status: status, error.text)
    }
}

/// Counts how often a server was restored, where each half of a replication finds that for itself: what they find until all of them have caught up again
/// is one restoration.
struct RestorationCount: Sendable {
    private(set) var count = 0
    private var isUnderWay = false

    /// What each half has found before.
    private var found: [Int]
    private var isCaughtUp: [Bool]

    /// The halves that were told to begin anew: as long as they are called idle they have not.
    private var restarting: Set<Int> = []

    init(halves: Int) {
        found = Array(repeating: 0, count: halves)
        isCaughtUp = Array(repeating: false, count: halves)
    }

    mutating func willRestart(_ half: Int) {
        restarting.insert(half)
        isCaughtUp[half] = false
    }

    mutating func heard(_ change: ReplicationChange, ofHalf half: Int) {
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
