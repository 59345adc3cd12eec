import BridgeConfiguration
import Cutover
import Gateway
import ReplicationService
import Storage
import Telemetry

/// The metrics of replications with other servers.
extension Metrics {
    /// The figures of one replication.
    private struct Figures {
        let labels: PrometheusText.Labels
        let state: ReplicationState
        let interruptions: ReplicationInterruptions
        let metrics: MetricsRegistry
        let lag: LagMeasurement

        init(_ run: ReplicationRun, of database: String) async {
            labels = [("database", database), ("replication", run.id)]
            metrics = run.metrics
            (state, interruptions, lag) = await (run.state, run.interruptions, run.lag)
        }
    }

    func addReplications(to text: inout PrometheusText) async {
        var all: [Figures] = []
        for database in running {
            for run in await database.replications.statuses() { all.append(await Figures(run, of: database.database.name)) }
        }
        text.add(
            "dualgauge_replication_state", .gauge, "1 for the present state of the replication, 0 for the other states.",
            all.flatMap { one in
                ReplicationState.Activity.allCases.map {
                    .init(one.labels + [("state", $0.rawValue)], $0 == one.state.activity ? 1 : 0)
                }
            })
        text.add(
            "dualgauge_replication_held_up", .gauge, "1 from an error until the replication has caught up again, 0 otherwise.",
            all.map { .init($0.labels, $0.interruptions.holdUp == nil ? 0 : 1) })
        text.add(
            "dualgauge_replication_lag_seconds", .gauge,
            "Seconds since the replication last caught up. Absent before the first time and while an error holds the replication up.",
            all.compactMap { one in
                guard case .seconds(let seconds) = one.lag else { return nil }
                return .init(one.labels, seconds)
            })
        text.add(
            "dualgauge_replication_pending", .gauge, "Changes that a replication has found but not processed yet.",
            all.map { .init($0.labels, max(0, $0.state.total - $0.state.completed)) })
        let runs = all.map(\.metrics)
        for family in [MetricFamily.replicatedDocuments, .interruptions, .restoredServers] { text.add(family, of: runs) }
    }

    func addParked(to text: inout PrometheusText) async {
        var samples: [PrometheusText.Sample] = []
        for database in running {
            guard let count = try? await database.store.read({ try $0.parkedCount() }) else { continue }
            samples.append(.init([("database", database.database.name)], count))
        }
        text.add("dualgauge_parked_revisions", .gauge, "Parked revisions: one side of a replication has refused them.", samples)
    }
}
