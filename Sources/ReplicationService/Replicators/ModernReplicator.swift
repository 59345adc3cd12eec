import BridgeConfiguration
import Gateway
import Logging
import ModernClient
import Storage

/// A replication with a 2.x+ server, or with a database of this process.
struct ModernReplicator: BridgeReplicator {
    private let replicator: Replicator

    init(_ configuration: ReplicatorConfiguration, logger: Logger) throws {
        replicator = try Replicator(configuration: configuration, logger: logger)
    }

    func start(reset: Bool) async {
        await replicator.start(reset: reset)
    }

    func stop() async {
        await replicator.stop()
    }

    func tryAgain(_ parked: [ParkedRevision]) async throws {
        do {
            try await replicator.tryAgain(parked)
        } catch let error as ReplicatorError {
            throw ReplicationFailure(error)
        }
    }

    func reports() async -> AsyncStream<ReplicationReport> {
        let events = await replicator.events()
        return AsyncStream(bufferingPolicy: .bufferingNewest(4_096)) { continuation in
            let task = Task {
                for await event in events { continuation.yield(ReplicationReport(event)) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func position() async -> ReplicationPosition {
        guard let saved = try? await replicator.savedPosition() else { return ReplicationPosition() }
        return ReplicationPosition(pushed: saved.pushed.map { String($0) }, pulled: saved.pulled)
    }
}

extension ReplicationReport {
    fileprivate init(_ event: ReplicatorEvent) {
        switch event {
        case .status(let status):
            var state = ReplicationState()
            state.activity = ReplicationState.Activity(rawValue: status.activity.rawValue) ?? .busy
            state.completed = Int(clamping: status.progress.completed)
            state.total = Int(clamping: status.progress.total)
            state.bytes = Int(clamping: status.progress.bytes)
            state.failure = status.error.map { ReplicationFailure($0) }
            self = .state(state)
        case .documents(let replication):
            self = .documents(
                replication.documents.map { document in
                    ReplicationOutcome(
                        id: document.id, collection: document.collection.description, isPush: replication.isPush,
                        isDeleted: document.flags.contains(.deleted), isAccessRemoved: document.flags.contains(.accessRemoved),
                        failure: document.error.map { ReplicationFailure($0) })
                })
        }
    }
}

extension ReplicationFailure {
    private static let settings: Set<ReplicatorError.Code> = [
        .notFound, .invalidParameter, .unsupported, .crypto, .invalidURL, .unknownInterface,
    ]

    init(_ error: ReplicatorError) {
        let status = (400..<600).contains(error.code.rawValue - 10_000) ? error.code.rawValue - 10_000 : nil
        let isRefused = status.map { $0 < 500 && $0 != 408 && $0 != 429 } ?? Self.settings.contains(error.code)
        self.init(isRefused ? .refused : .unreachable, status: status, error.text)
    }
}
