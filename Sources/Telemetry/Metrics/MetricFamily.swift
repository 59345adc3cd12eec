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
    package static let requests = MetricFamily("dualgauge_requests_total", .counter, "Requests that were answered.")
    package static let requestTime = MetricFamily("dualgauge_request_seconds", "Time until an answer began.")
    package static let logins = MetricFamily(
        "dualgauge_logins_total", .counter, "Logins that were accepted; requests of the guest are among them.")
    package static let failedLogins = MetricFamily("dualgauge_logins_failed_total", .counter, "Logins that were not accepted.")
    package static let failedAdminLogins = MetricFamily(
        "dualgauge_admin_logins_failed_total", .counter, "Logins to the admin port that were not accepted.")
    package static let memoryRefusals = MetricFamily(
        "dualgauge_memory_refusals_total", .counter, "Requests that were refused, and connections that were dropped, for want of it.")
    package static let feedTime = MetricFamily(
        "dualgauge_feed_seconds", "Time until a feed had its next rows, or knew that there are none, with the wait for its turn.")
    package static let deltas = MetricFamily(
        "dualgauge_deltas_total", .counter, "Revisions that 2.x+ clients sent or were sent as differences, and those that were no use.")
    package static let deltaBytes = MetricFamily(
        "dualgauge_delta_saved_bytes_total", .counter, "By how much differences were shorter than the bodies, before compression.")
}

extension MetricFamily {
    package static let commits = MetricFamily(
        "dualgauge_commits_total", .counter, "Commits of the store, as those who follow feeds were told of them.")
    package static let failedCommits = MetricFamily(
        "dualgauge_commit_failures_total", .counter, "Commits that the disk or SQLite has refused.")
    package static let commitTime = MetricFamily(
        "dualgauge_commit_seconds", "How long commits have taken, with the work that they hold.")
    package static let readTime = MetricFamily("dualgauge_read_seconds", "How long reads have held one of the store's connections.")
    package static let storeSteps = MetricFamily(
        "dualgauge_store_steps_total", .counter, "Steps of SQLite's virtual machine: a measure of the rows that were looked at.")
    package static let replicatedDocuments = MetricFamily(
        "dualgauge_replication_documents_total", .counter, "Documents that a replication has dealt with, by what became of them.")
    package static let interruptions = MetricFamily(
        "dualgauge_replication_interruptions_total", .counter, "How often an error has held a replication up.")
    package static let restoredServers = MetricFamily(
        "dualgauge_replication_restored_servers_total", .counter,
        "How often a 1.x server was found restored from a backup, or another one in its place.")
    package static let scriptCalls = MetricFamily(
        "dualgauge_script_calls_total", .counter, "Calls of JavaScript functions, failed ones included.")
    package static let scriptFailures = MetricFamily(
        "dualgauge_script_failures_total", .counter, "Calls of JavaScript functions that failed.")
    package static let scriptTerminations = MetricFamily(
        "dualgauge_script_terminations_total", .counter, "Calls of JavaScript functions that were ended for their time or memory.")
}
