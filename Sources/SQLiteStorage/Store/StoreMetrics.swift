import CoreMetrics
import Telemetry

/// A store's counts and durations since it was opened.
struct StoreMetrics: Sendable {
    let registry: MetricsRegistry

    /// Published commits: own commits, and polls that found commits of other processes.
    let commits: Counter
    let failedCommits: Counter

    /// The durations of commits, including the work of all callers.
    let commitTimes: CoreMetrics.Timer

    /// The durations of reads. Each read occupies a connection for its duration.
    let readTimes: CoreMetrics.Timer

    /// Steps of SQLite's virtual machine: a measure of the visited rows.
    let readSteps: Counter
    let commitSteps: Counter

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        commits = registry.counter(.commits)
        failedCommits = registry.counter(.failedCommits)
        commitTimes = registry.timer(.commitTime)
        readTimes = registry.timer(.readTime)
        readSteps = registry.counter(.storeSteps, [("kind", "read")])
        commitSteps = registry.counter(.storeSteps, [("kind", "write")])
    }
}
