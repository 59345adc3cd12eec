import BridgeConfiguration
import Foundation
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore
import ReplicationService
import Scripting
import Storage
import Stores
import Supervision
import Telemetry

/// `GET /metrics` of the admin port. Counters start at zero with the process, or when a database is opened or reconfigured.
///
/// Label values are the configured names of databases and collections, and values from fixed lists.
struct Metrics: Sendable {
    let running: [RunningDatabase]
    let registry: DatabaseRegistry

    /// The counts of logins at the admin port.
    private let adminLogins: LoginCounts?

    /// The TLS settings of the ports that have TLS.
    private let certificates: [PortKind: ReloadableTLS]

    init(_ registry: DatabaseRegistry, adminLogins: LoginCounts? = nil, certificates: [PortKind: ReloadableTLS] = [:]) {
        self.registry = registry
        self.adminLogins = adminLogins
        self.certificates = certificates
        running = registry.names.compactMap { registry[$0] }
    }

    func response() async -> Response {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: await text()))
        return Response(status: .ok, headers: [.contentType: PrometheusText.contentType], body: body)
    }

    func text() async -> String {
        var text = PrometheusText()
        addProcess(to: &text)
        addRequests(to: &text)
        addLogins(to: &text)
        addMemory(to: &text)
        addActivity(to: &text)
        addStores(to: &text)
        addDeltas(to: &text)
        addScripts(to: &text)
        await addDocuments(to: &text)
        await addParked(to: &text)
        await addReplications(to: &text)
        addStages(to: &text)
        addDevices(to: &text)
        return text.text
    }

    private func addRequests(to text: inout PrometheusText) {
        text.add(.requests, registry.requests.samples)
        text.add(.requestTime, registry.requests.times)
    }

    private func addLogins(to text: inout PrometheusText) {
        text.add(.logins, of: running.map(\.metrics))
        text.add(.failedLogins, of: running.map(\.metrics))
        if let adminLogins { text.add(.failedAdminLogins, of: [adminLogins.metrics]) }
    }

    private func addMemory(to text: inout PrometheusText) {
        text.add("dualgauge_memory_limit_bytes", .gauge, "The memory limit for clients' data.", [.init([], registry.memory.limit)])
        text.add("dualgauge_memory_used_bytes", .gauge, "The memory in use for clients' data.", [.init([], registry.memory.used)])
        text.add(.memoryRefusals, of: [registry.metrics])
    }

    private func addProcess(to text: inout PrometheusText) {
        text.add(
            "dualgauge_build_info", .gauge, "1, labelled with the version of the program and of the schemas that it writes.",
            [
                .init(
                    [
                        ("version", ServerVersion.current), ("schema", "\(StoreSchemas.sqlite)"),
                        ("postgresql_schema", "\(StoreSchemas.postgreSQL)"),
                    ], 1)
            ])
        text.add(
            "dualgauge_restarts_total", .counter, "Restarts of the bridge since the start of its supervisor.",
            [.init([], registry.supervisor.start.restarts)])
        text.add(
            "dualgauge_held_back", .gauge, "Databases and replications that are not started, because they ended the bridge twice.",
            [.init([], registry.supervisor.held.count)])
        text.add(
            "dualgauge_certificate_expiry_seconds", .gauge, "Earliest expiry in a port's certificate chain, in seconds since 1970.",
            PortKind.allCases.compactMap { port in
                certificates[port]?.expiry.map { .init([("port", "\(port)")], $0) }
            })
        let process = ProcessFigures()
        text.add(
            "process_start_time_seconds", .gauge, "Start time of the process, in seconds since 1970.",
            process.start.map { [.init([], seconds: $0)] } ?? [])
        text.add(
            "process_cpu_seconds_total", .counter, "Processor time of the process, user and system, in seconds.",
            process.processorTime.map { [.init([], seconds: $0)] } ?? [])
        text.add(
            "process_resident_memory_bytes", .gauge, "Resident memory of the process.",
            ResidentMemory.current.map { [.init([], $0)] } ?? [])
        text.add(
            "process_open_fds", .gauge, "Open files and connections of the process.",
            process.openFiles.map { [.init([], $0)] } ?? [])
        text.add("process_max_fds", .gauge, "The limit of open files and connections of the process.", [.init([], OpenFiles.current.limit)])
    }

    private func addScripts(to text: inout PrometheusText) {
        let statistics = registry.scripts.statistics
        text.add(.scriptCalls, of: [registry.metrics])
        text.add(.scriptFailures, registry.metrics.samples(of: .scriptFailures).sorted { $0.labels[0].value < $1.labels[0].value })
        text.add(.scriptTerminations, of: [registry.metrics])
        text.add("dualgauge_script_waiting", .gauge, "Batches of JavaScript calls waiting for a worker.", [.init([], statistics.waiting)])
        text.add("dualgauge_script_workers", .gauge, "Existing JavaScript virtual machines.", [.init([], statistics.workers)])
    }
}
