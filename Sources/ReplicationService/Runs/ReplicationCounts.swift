import CoreMetrics
import Telemetry

/// Records a replication's documents and interruptions in its metrics. They count from the creation of its run.
struct ReplicationCounts: Sendable {
    private let documents: [(count: any (KeyPath<ReplicationTally, Int> & Sendable), counter: Counter)]
    private let interruptions: [(kind: ReplicationFailure.Kind, counter: Counter)]
    private let restorations: Counter

    init(_ metrics: MetricsRegistry) {
        func documents(_ direction: String, _ outcome: String) -> Counter {
            metrics.counter(.replicatedDocuments, [("direction", direction), ("outcome", outcome)])
        }
        self.documents = [
            (\.read, documents("pull", "stored")), (\.purged, documents("pull", "removed")),
            (\.rejectedHere, documents("pull", "refused")), (\.written, documents("push", "stored")),
            (\.rejectedThere, documents("push", "refused")), (\.conflicts, documents("push", "conflict")),
            (\.failures, documents("push", "failed")),
        ]
        interruptions = ReplicationFailure.Kind.allCases.map { ($0, metrics.counter(.interruptions, [("kind", $0.rawValue)])) }
        restorations = metrics.counter(.restoredServers)
    }

    /// Records the documents that a tally has more than before.
    func record(_ new: ReplicationTally, since old: ReplicationTally) {
        for (count, counter) in documents where new[keyPath: count] > old[keyPath: count] {
            counter.increment(by: new[keyPath: count] - old[keyPath: count])
        }
    }

    /// Records the interruptions that were added.
    func record(_ new: ReplicationInterruptions, since old: ReplicationInterruptions) {
        for (kind, counter) in interruptions {
            let more = (new.counts[kind] ?? 0) - (old.counts[kind] ?? 0)
            if more > 0 { counter.increment(by: more) }
        }
        if new.restorations > old.restorations { restorations.increment(by: new.restorations - old.restorations) }
    }
}
