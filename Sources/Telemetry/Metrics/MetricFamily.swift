/// A metric: its name, its type and its meaning. Each combination of label values is one series of it.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package let name: String
    package let kind: Kind

    /// One sentence for the `HELP` line.
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// A histogram of durations, in seconds.
    package init(_ name: String, _ help: String) {
        self.init(name, .histogram, help)
    }
}

/// The metrics that the bridge records as events happen. They also go to the metrics system of the process. The other metrics of `/metrics`
/// are read at each scrape.
extension MetricFamily {
    package static let requests = MetricFamily("dualgauge_requests_total", .counter, "Answered requests.")
    package static let requestTime = MetricFamily(
        "dualgauge_request_seconds", "Time from the arrival of a request to the start of its answer.")
    package static let logins = MetricFamily(
        "dualgauge_logins_total", .counter, "Accepted logins, including requests of the guest.")
    package static let failedLogins = MetricFamily("dualgauge_logins_failed_total", .counter, "Rejected logins.")
    package static let failedAdminLogins = MetricFamily(
        "dualgauge_admin_logins_failed_total", .counter, "Rejected logins to the admin port.")
    package static let memoryRefusals = MetricFamily(
        "dualgauge_memory_refusals_total", .counter,
        "Refused requests and dropped connections because of the memory limit for clients' data.")
    package static let feedTime = MetricFamily(
        "dualgauge_feed_seconds", "Time until a feed had its next rows or had found none, including the wait for its turn.")
    package static let deltas = MetricFamily(
        "dualgauge_deltas_total", .counter, "Revisions exchanged with 2.x+ clients as deltas, including deltas that did not apply.")
    package static let deltaBytes = MetricFamily(
        "dualgauge_delta_saved_bytes_total", .counter, "Bytes by which deltas were shorter than the bodies, before compression.")
}

extension MetricFamily {
    package static let deviceRequests = MetricFamily(
        "dualgauge_devices_requests_total", .counter, "Requests of devices while some are passed on to the old server, by side and outcome."
    )
    package static let deviceRequestTime = MetricFamily(
        "dualgauge_devices_request_seconds", "Time until the response to a device's short request began, by side.")
    package static let deviceDocuments = MetricFamily(
        "dualgauge_devices_documents_total", .counter, "Documents that 1.x devices have written and read, by side and outcome.")
    package static let comparedReads = MetricFamily(
        "dualgauge_reads_compared_total", .counter, "Sampled reads that were passed on and answered here, too, by result.")
    package static let readDifferences = MetricFamily(
        "dualgauge_read_differences_total", .counter, "Lasting differences between both responses to a read, by kind.")
    package static let deviceRescans = MetricFamily(
        "dualgauge_devices_rescans_total", .counter,
        "Feeds that a device has begun to read anew after it changed sides, although it had a position.")
}

extension MetricFamily {
    package static let commits = MetricFamily(
        "dualgauge_commits_total", .counter, "Commits of the store that feeds were notified of.")
    package static let failedCommits = MetricFamily(
        "dualgauge_commit_failures_total", .counter, "Commits that failed because of the disk or SQLite.")
    package static let commitTime = MetricFamily(
        "dualgauge_commit_seconds", "Duration of commits, including their writes and the flush of the disk.")
    package static let readTime = MetricFamily("dualgauge_read_seconds", "Time for which reads held one of the store's connections.")
    package static let storeSteps = MetricFamily(
        "dualgauge_store_steps_total", .counter, "Steps of SQLite's virtual machine, a measure of the rows examined.")
    package static let replicatedDocuments = MetricFamily(
        "dualgauge_replication_documents_total", .counter, "Documents processed by a replication, by outcome.")
    package static let interruptions = MetricFamily(
        "dualgauge_replication_interruptions_total", .counter, "Errors that interrupted a replication.")
    package static let restoredServers = MetricFamily(
        "dualgauge_replication_restored_servers_total", .counter,
        "Detections of a 1.x server that was restored from a backup or replaced by another server.")
    package static let scriptCalls = MetricFamily(
        "dualgauge_script_calls_total", .counter, "Calls of JavaScript functions, including failed calls.")
    package static let scriptFailures = MetricFamily(
        "dualgauge_script_failures_total", .counter, "Failed calls of JavaScript functions.")
    package static let scriptTerminations = MetricFamily(
        "dualgauge_script_terminations_total", .counter,
        "Calls of JavaScript functions that were terminated at their limit of time or memory.")
}
