import Gateway
import Logging
import ModernReplication
import Storage

/// A replication with a 2.x+ server, or with a database of this process.
struct ModernReplicator: Replication {
    /// Documents that are replicated at once when they are tried again, so that both sides look them up one by one.
    private static let stride = 100

    private let replicator: Replicator
    private let logger: Logger

    init(_ configuration: ReplicatorConfiguration, logger: Logger) throws {
        replicator = try Replicator(configuration: configuration, logger: logger)
        self.logger = logger
    }

    func start(reset: Bool) async {
        await replicator.start(reset: reset)
    }

    func stop() async {
        await replicator.stop()
    }

    func tryAgain(_ parked: [ParkedRevision]) async throws {
        for direction in ParkedDirection.allCases {
            let wanted = Dictionary(grouping: parked.filter { $0.direction == direction }, by: \.collection)
            for collection in replicator.configuration.collections {
                var rest = (wanted[collection.keyspace.parkingName] ?? [])[...]
                while !rest.isEmpty {
                    try await tryAgain(Set(rest.prefix(Self.stride).map(\.id)), of: collection, direction)
                    rest = rest.dropFirst(Self.stride)
                }
            }
        }
    }

    /// Replicates a few documents as they are by now, once, with nothing kept of how far that has come.
    private func tryAgain(_ ids: Set<String>, of collection: ReplicatedCollection, _ direction: ParkedDirection) async throws {
        var configuration = replicator.configuration
        configuration.continuous = false
        configuration.maxAttempts = 1
        configuration.keepsCheckpoints = false
        configuration.replicatorType = direction == .push ? .push : .pull
        for other in replicator.configuration.collections { configuration.removeCollection(other.name) }
        var settings = collection.configuration
        settings.documentIDs = ids.sorted()
        settings.channels = []
        configuration.addCollection(collection.keyspace, as: collection.name, config: settings)
        let attempt = try Replicator(configuration: configuration, logger: logger)
        await attempt.start()
        let status = await attempt.waitUntilStopped()
        if let error = status.error { throw ReplicationFailure(error) }
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
        self.init(isRefused ? .refused : .unreachable, status: status, error.description)
    }
}
