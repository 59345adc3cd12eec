package import CoreMetrics
package import Telemetry

/// A store's counts and durations since it was opened.
package struct StoreMetrics: Sendable {
    package let registry: MetricsRegistry

    /// Published commits: own commits, and polls that found commits of other processes.
    package let commits: Counter
    package let failedCommits: Counter

    /// The durations of commits, including the work of all callers.
    package let commitTimes: CoreMetrics.Timer

    /// The durations of reads. Each read occupies a connection for its duration.
    package let readTimes: CoreMetrics.Timer

    /// Steps of an engine that counts them, such as SQLite's virtual machine: a measure of the visited rows.
    package let readSteps: Counter
    package let commitSteps: Counter

    package init(_ registry: MetricsRegistry) {
        self.registry = registry
        commits = registry.counter(.commits)
        failedCommits = registry.counter(.failedCommits)
        commitTimes = registry.timer(.commitTime)
        readTimes = registry.timer(.readTime)
        readSteps = registry.counter(.storeSteps, [("kind", "read")])
        commitSteps = registry.counter(.storeSteps, [("kind", "write")])
    }
}
