import Cutover
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ModernReplication
import NIOCore
import Scripting
import Storage
import Supervision

/// `GET /metrics` of the admin port. Counters count since the start, or since a database was opened or configured anew.
///
/// Labels are the names of databases and collections, which the configuration says, and words from fixed lists.
struct Metrics: Sendable {
    private let running: [RunningDatabase]
    private let registry: DatabaseRegistry

    /// Of the admin port.
    private let adminLogins: LoginCounts?

    init(_ registry: DatabaseRegistry, adminLogins: LoginCounts? = nil) {
        self.registry = registry
        self.adminLogins = adminLogins
        running = registry.names.compactMap { registry[$0] }
    }

    func response() async -> Response {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: await text()))
        return Response(status: .ok, headers: [.contentType: PrometheusText.contentType], body: body)
    }

    func text() async -> String {
        var text = PrometheusText()
        text.add(
            "dualgauge_restarts_total", .counter, "Restarts by the supervisor since it was started.",
            [.init([], registry.supervisor.start.restarts)])
        text.add(
            "dualgauge_held_back", .gauge, "Databases and replications that have ended the bridge twice, and are not started.",
            [.init([], registry.supervisor.held.count)])
        addRequests(to: &text)
        addActivity(to: &text)
        addDeltas(to: &text)
        addScripts(to: &text)
        await addDocuments(to: &text)
        await addParked(to: &text)
        await addReplications(to: &text)
        addStages(to: &text)
        return text.text
    }

    private func addRequests(to text: inout PrometheusText) {
        let counts = registry.requests.all.sorted {
            ($0.key.endpoint.order, $0.key.status) < ($1.key.endpoint.order, $1.key.status)
        }
        text.add(
            "dualgauge_requests_total", .counter, "Requests that were answered.",
            counts.map { .init($0.key.endpoint.labels + [("status", String($0.key.status))], $0.value) })
        text.add(
            "dualgauge_request_seconds", "Time until an answer began.",
            registry.requests.latencies.sorted { $0.key.order < $1.key.order }.map { ($0.key.labels, $0.value) })
        text.add(
            "dualgauge_logins_failed_total", .counter, "Logins that were not accepted.",
            running.flatMap { database in
                LoginCounts.Outcome.allCases.map {
                    .init([("database", database.database.name), ("outcome", $0.rawValue)], database.access.counts[$0])
                }
            })
        text.add("dualgauge_memory_limit_bytes", .gauge, "The most that clients' data may take.", [.init([], registry.memory.limit)])
        text.add("dualgauge_memory_used_bytes", .gauge, "What clients' data takes now.", [.init([], registry.memory.used)])
        text.add(
            "dualgauge_memory_refusals_total", .counter, "Requests that were refused, and connections that were dropped, for want of it.",
            [.init([], registry.memory.refusals)])
        guard let adminLogins else { return }
        text.add(
            "dualgauge_admin_logins_failed_total", .counter, "Logins to the admin port that were not accepted.",
            LoginCounts.Outcome.allCases.map { .init([("outcome", $0.rawValue)], adminLogins[$0]) })
    }

    private func addActivity(to text: inout PrometheusText) {
        text.add(
            "dualgauge_online", .gauge, "Whether clients are let in.",
            running.map { .init([("database", $0.database.name)], $0.isOnline ? 1 : 0) })
        text.add(
            "dualgauge_open", .gauge, "Connections of 2.x+ clients, and feeds, that are open now.",
            running.flatMap { database in
                Activity.Kind.allCases.map {
                    .init([("database", database.database.name), ("kind", $0.rawValue)], database.database.activity[$0])
                }
            })
        text.add(
            "dualgauge_commits_total", .counter, "Commits of the store, as those who follow feeds were told of them.",
            running.map { .init([("database", $0.database.name)], $0.store.commitCount) })
        text.add(
            "dualgauge_store_steps_total", .counter, "Steps of SQLite's virtual machine: a measure of the rows that were looked at.",
            running.flatMap { database in
                [("read", database.store.stepsRead), ("write", database.store.stepsWritten)].map {
                    .init([("database", database.database.name), ("kind", $0.0)], $0.1)
                }
            })
    }

    private func addDeltas(to text: inout PrometheusText) {
        let counts = running.map { ($0.database.name, $0.deltas.current) }
        text.add(
            "dualgauge_deltas_total", .counter, "Revisions that 2.x+ clients sent or were sent as differences, and those that were no use.",
            counts.flatMap { database, count in
                [("sent", count.sent), ("received", count.received), ("sent_in_vain", count.sentInVain), ("refused", count.refused)].map {
                    .init([("database", database), ("outcome", $0.0)], $0.1)
                }
            })
        text.add(
            "dualgauge_delta_saved_bytes_total", .counter, "By how much differences were shorter than the bodies, before compression.",
            counts.flatMap { database, count in
                [("sent", count.sentBytesSaved), ("received", count.receivedBytesSaved)].map {
                    .init([("database", database), ("direction", $0.0)], $0.1)
                }
            })
    }

    private func addScripts(to text: inout PrometheusText) {
        let statistics = registry.scripts.statistics
        text.add(
            "dualgauge_script_calls_total", .counter, "Calls of JavaScript functions, failed ones included.",
            [.init([], statistics.calls)])
        text.add(
            "dualgauge_script_failures_total", .counter, "Calls of JavaScript functions that failed.",
            statistics.failures.sorted { $0.key.description < $1.key.description }.map {
                .init([("kind", $0.key.description)], $0.value)
            })
        text.add(
            "dualgauge_script_terminations_total", .counter, "Calls of JavaScript functions that were ended for their time or memory.",
            [.init([], statistics.terminations)])
        text.add("dualgauge_script_waiting", .gauge, "Batches of calls that wait for a worker.", [.init([], statistics.waiting)])
        text.add("dualgauge_script_workers", .gauge, "JavaScript virtual machines.", [.init([], statistics.workers)])
    }

    private func addParked(to text: inout PrometheusText) async {
        var samples: [PrometheusText.Sample] = []
        for database in running {
            guard let count = try? await database.store.read({ try $0.parkedCount() }) else { continue }
            samples.append(.init([("database", database.database.name)], count))
        }
        text.add("dualgauge_parked_revisions", .gauge, "Revisions that one side of a replication has refused.", samples)
    }

    private func addReplications(to text: inout PrometheusText) async {
        var heldUp: [PrometheusText.Sample] = []
        var lag: [PrometheusText.Sample] = []
        var interruptions: [PrometheusText.Sample] = []
        var restorations: [PrometheusText.Sample] = []
        for database in running {
            for run in await database.replications.statuses() {
                let labels = [(name: "database", value: database.database.name), (name: "replication", value: run.id)]
                heldUp.append(.init(labels, await run.interruptions.holdUp == nil ? 0 : 1))
                if case .seconds(let seconds) = await run.lag { lag.append(.init(labels, seconds)) }
                let found = await run.interruptions
                interruptions += ReplicationFailure.Kind.allCases.map { .init(labels + [("kind", $0.rawValue)], found.counts[$0] ?? 0) }
                restorations.append(.init(labels, found.restorations))
            }
        }
        text.add("dualgauge_replication_held_up", .gauge, "1 while an error keeps a replication from its work, 0 otherwise.", heldUp)
        text.add(
            "dualgauge_replication_lag_seconds", .gauge,
            "How long ago a replication had last caught up; nothing if it never has, and while an error holds it up.", lag)
        text.add(
            "dualgauge_replication_interruptions_total", .counter, "How often an error has held a replication up.", interruptions)
        text.add(
            "dualgauge_replication_restored_servers_total", .counter,
            "How often a 1.x server was found restored from a backup, or another one in its place.", restorations)
    }

    /// One line a stage, so that a change of it can be seen and alarmed at.
    private func addStages(to text: inout PrometheusText) {
        text.add(
            "dualgauge_cutover_stage", .gauge, "1 for the stage of its cutover at which a database is, 0 for the others.",
            running.flatMap { database in
                (database.stage == nil ? [] : CutoverStage.allCases).map { stage in
                    .init([("database", database.database.name), ("stage", stage.rawValue)], stage == database.stage ? 1 : 0)
                }
            })
    }

    private func addDocuments(to text: inout PrometheusText) async {
        var samples: [PrometheusText.Sample] = []
        for database in running {
            // A store that cannot be read has no counts; the rest is told all the same.
            let counts = try? await database.store.read { snapshot in
                try snapshot.collections().map { ($0, try snapshot.counts(.collection($0.key))) }
            }
            for (collection, counts) in counts ?? [] {
                let name = "\(collection.scope).\(collection.name)"
                let states = [
                    ("live", counts.live), ("tombstone", counts.tombstones), ("conflicted", counts.conflicted),
                    ("misplaced", counts.misplaced), ("qualified", counts.qualified),
                ]
                samples += states.map {
                    .init([("database", database.database.name), ("collection", name), ("state", $0.0)], $0.1)
                }
            }
        }
        text.add(
            "dualgauge_documents", .gauge,
            "Documents: live or tombstone; conflicted, misplaced and qualified ones are among them.", samples)
    }
}

extension RequestCounts.Endpoint {
    fileprivate var labels: [(name: String, value: String)] { [("port", "\(port)"), ("class", kind.name)] }

    /// By what they are sorted.
    fileprivate var order: String { "\(kind.name) \(port)" }
}
