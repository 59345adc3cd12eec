import BridgeConfiguration
import Cutover
import Gateway
import ModernClient
import ModernProtocol
import ReplicationService
import Storage
import Telemetry

/// The metrics of databases and their stores.
extension Metrics {
    func addActivity(to text: inout PrometheusText) {
        text.add(
            "dualgauge_online", .gauge, "1 while the database accepts clients, 0 otherwise.",
            running.map { .init([("database", $0.database.name)], $0.isOnline ? 1 : 0) })
        text.add(
            "dualgauge_open", .gauge, "Open connections of 2.x+ clients, and open feeds.",
            running.flatMap { database in
                Activity.Kind.allCases.map {
                    .init([("database", database.database.name), ("kind", $0.rawValue)], database.database.activity[$0])
                }
            })
        text.add(
            "dualgauge_clients_open", .gauge, "Open feeds of 1.x clients and open connections of 2.x+ clients, by generation and client.",
            running.flatMap { database in
                Self.clients(of: database.database).sorted { ($0.key.generation, $0.key.family) < ($1.key.generation, $1.key.family) }.map {
                    .init(
                        [
                            ("database", database.database.name), ("generation", "\($0.key.generation).x"),
                            ("client", $0.key.family),
                        ], $0.value)
                }
            })
        text.add(.feedTime, of: running.map(\.metrics))
    }

    private struct Client: Hashable {
        let generation: Int
        let family: String
    }

    /// The connected clients: 1.x clients by their open feeds, others by their connections.
    private static func clients(of database: Database) -> [Client: Int] {
        var counts: [Client: Int] = [:]
        for clients in [database.visits.openFeedsByKind, database.activity.connections] {
            for (kind, count) in clients {
                counts[Client(generation: kind.generation, family: ClientSoftware(kind.agent).family), default: 0] += count
            }
        }
        return counts
    }

    func addStores(to text: inout PrometheusText) {
        let stores = running.map(\.store.metrics)
        for family in [MetricFamily.commits, .failedCommits, .commitTime, .readTime] { text.add(family, of: stores) }
        text.add(
            "dualgauge_store_waiting", .gauge, "Reads and writes waiting for their turn.",
            running.flatMap { database in
                [("read", database.store.queuedReads), ("write", database.store.queuedWrites)].map {
                    .init([("database", database.database.name), ("kind", $0.0)], $0.1)
                }
            })
        text.add(
            "dualgauge_store_restricted", .gauge, "1 if the store was opened on a full or read-only disk, 0 otherwise.",
            running.map { .init([("database", $0.database.name)], $0.store.restriction == nil ? 0 : 1) })
        text.add(
            "dualgauge_store_unreachable", .gauge, "1 while the store's server cannot be reached, 0 otherwise.",
            (running.map { ($0.database.name, $0.watch.isCutOff ? 1 : 0) } + registry.unreachable.keys.map { ($0, 1) })
                .sorted { $0.0 < $1.0 }.map { .init([("database", $0.0)], $0.1) })
        let shared = running.compactMap { database in database.lease.map { (database.database.name, $0) } }
        text.add(
            "dualgauge_bridges", .gauge, "Bridges with the store open, where there may be several.",
            shared.map { .init([("database", $0.0)], $0.1.roster.bridges.count) })
        text.add(
            "dualgauge_works", .gauge, "1 if this bridge does the work that must run once, 0 if another one does.",
            shared.map { .init([("database", $0.0)], $0.1.isHeld ? 1 : 0) })
        text.add(.storeSteps, of: stores)
    }

    func addDeltas(to text: inout PrometheusText) {
        text.add(.deltas, of: running.map(\.metrics))
        text.add(.deltaBytes, of: running.map(\.metrics))
    }

    func addDocuments(to text: inout PrometheusText) async {
        var samples: [PrometheusText.Sample] = []
        for database in running {
            // A store that cannot be read has no counts. The other metrics are still reported.
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
            "Documents by state. Conflicted, misplaced and qualified documents are also counted as live or tombstone.", samples)
    }

    /// Adds the figures of devices while some are passed on to the old server.
    func addDevices(to text: inout PrometheusText) {
        for family in [
            MetricFamily.deviceRequests, .deviceDocuments, .deviceRescans, .deviceRequestTime, .comparedReads, .readDifferences,
        ] {
            text.add(family, of: running.filter { $0.devices != nil }.map(\.metrics))
        }
        text.add(
            "dualgauge_devices_seen", .gauge, "Users and devices seen within the last hour, by side.",
            running.flatMap { database in
                (database.devices?.figures.counts ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { side, count in
                    [("users", count.users), ("devices", count.devices)].map {
                        .init([("database", database.database.name), ("side", side.rawValue), ("kind", $0.0)], $0.1)
                    }
                }
            })
    }

    /// Adds a sample for each stage, so that changes are visible and alerts can be set.
    func addStages(to text: inout PrometheusText) {
        text.add(
            "dualgauge_cutover_stage", .gauge, "1 for the present stage of the database's cutover, 0 for the other stages.",
            running.flatMap { database in
                (database.stage == nil ? [] : CutoverStage.allCases).map { stage in
                    .init([("database", database.database.name), ("stage", stage.rawValue)], stage == database.stage ? 1 : 0)
                }
            })
    }
}
