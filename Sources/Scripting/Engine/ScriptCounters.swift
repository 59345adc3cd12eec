import Synchronization

/// The engine's counts, shared by its workers.
final class ScriptCounters: Sendable {
    private let counts = Mutex(ScriptStatistics())

    var current: ScriptStatistics { counts.withLock { $0 } }

    func add(_ other: ScriptStatistics) {
        counts.withLock { $0.add(other) }
    }
}
