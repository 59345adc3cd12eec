import BridgeConfiguration
import Cutover
import Gateway
import ReplicationService
import SQLiteStorage
import Storage

/// The metrics of replications with other servers.
extension Metrics {
    /// The figures of one replication.
    private struct Figures {
        let labels: PrometheusText.Labels
        let state: ReplicationState
        let interruptions: ReplicationInterruptions
        let tally: ReplicationTally
        let lag: LagMeasurement

        init(_ run: ReplicationRun, of database: String) async {
            labels = [("database", database), ("replication", run.id)]
            (state, interruptions, tally, lag) = await (run.state, run.interruptions, run.tally, run.lag)
        }

        /// Documents by direction and outcome.
        var documents: [(direction: String, outcome: String, count: Int)] {
            [
                ("pull", "stored", tally.read), ("pull", "removed", tally.purged), ("pull", "refused", tally.rejectedHere),
                ("push", "stored", tally.written), ("push", "refused", tally.rejectedThere), ("push", "conflict", tally.conflicts),
                ("push", "failed", tally.failures),
            ]
        }
    }

    func addReplications(to text: inout PrometheusText) async {
        var all: [Figures] = []
        for database in running {
            for run in await database.replications.statuses() { all.append(await Figures(run, of: database.database.name)) }
        }
        text.add(
            "dualgauge_replication_state", .gauge, "1 for the state in which a replication is, 0 for the others.",
            all.flatMap { one in
                ReplicationState.Activity.allCases.map {
                    .init(one.labels + [("state", $0.rawValue)], $0 == one.state.activity ? 1 : 0)
                }
            })
        text.add(
            "dualgauge_replication_held_up", .gauge, "1 while an error keeps a replication from its work, 0 otherwise.",
            all.map { .init($0.labels, $0.interruptions.holdUp == nil ? 0 : 1) })
        text.add(
            "dualgauge_replication_lag_seconds", .gauge,
            "How long ago a replication had last caught up; nothing if it never has, and while an error holds it up.",
            all.compactMap { one in
                guard case .seconds(let seconds) = one.lag else { return nil }
                return .init(one.labels, seconds)
            })
        text.add(
            "dualgauge_replication_pending", .gauge, "Changes that a replication knows of and has not dealt with.",
            all.map { .init($0.labels, max(0, $0.state.total - $0.state.completed)) })
        text.add(
            "dualgauge_replication_documents_total", .counter, "Documents that a replication has dealt with, by what became of them.",
            all.flatMap { one in
                one.documents.map { .init(one.labels + [("direction", $0.direction), ("outcome", $0.outcome)], $0.count) }
            })
        text.add(
            "dualgauge_replication_interruptions_total", .counter, "How often an error has held a replication up.",
            all.flatMap { one in
                ReplicationFailure.Kind.allCases.map {
                    .init(one.labels + [("kind", $0.rawValue)], one.interruptions.counts[$0] ?? 0)
                }
            })
        text.add(
            "dualgauge_replication_restored_servers_total", .counter,
            "How often a 1.x server was found restored from a backup, or another one in its place.",
            all.map { .init($0.labels, $0.interruptions.restorations) })
    }

    func addParked(to text: inout PrometheusText) async {
        var samples: [PrometheusText.Sample] = []
        for database in running {
            guard let count = try? await database.store.read({ try $0.parkedCount() }) else { continue }
            samples.append(.init([("database", database.database.name)], count))
        }
        text.add("dualgauge_parked_revisions", .gauge, "Revisions that one side of a replication has refused.", samples)
    }
}
