import Foundation

/// Result of a soak.
package struct SoakReport: Sendable {
    let bounds: SoakBounds

    /// Memory of the bridge's process in MiB: the maximum, and for the last process the maxima of the second and of the last quarter of its
    /// lifetime.
    private(set) var memory = 0
    private(set) var memoryThen = 0
    private(set) var memoryLast = 0
    private(set) var descriptors = 0

    /// Accounted memory of clients' data: the maximum in bytes, and the limit.
    private(set) var account = 0.0
    private(set) var accountLimit = 0.0
    private(set) var rows: [Row] = []
    private(set) var acknowledged = 0
    private(set) var failures: [String] = []

    /// Number of descriptors that are still open after the clients have disconnected, beyond the initial ones.
    var leftDescriptors = 0

    /// Documents that clients lack, and acknowledged edits that the store lacks.
    package internal(set) var unread: [String] = []
    package internal(set) var lost: [String] = []

    /// Documents with more than one row in the feed of a store without writers.
    var repeated: [String] = []

    /// Exit codes after SIGTERM and of `dualgauge check`.
    var exitCode: Int32 = 0
    var checkCode: Int32 = 0
    var ending = Duration.zero
    var unexpectedExits: [String] = []

    /// Durations in calm or during one trouble.
    struct Row: Sendable {
        let trouble: Trouble?
        let reads: Stopwatch.Record
        let writes: Stopwatch.Record
    }

    /// Smallest number of samples of a process from which memory growth is computed.
    private static let enough = 60

    init(_ bounds: SoakBounds) {
        self.bounds = bounds
    }

    mutating func record(_ samples: [Sampler.Sample]) {
        memory = samples.map(\.memory).max() ?? 0
        descriptors = samples.map(\.descriptors).max() ?? 0
        account = samples.compactMap(\.account).max() ?? 0
        accountLimit = samples.compactMap(\.accountLimit).max() ?? 0
        let life = samples.filter { $0.process == samples.last?.process }
        guard life.count >= Self.enough else { return }
        let quarter = life.count / 4
        memoryThen = life[quarter..<quarter * 2].map(\.memory).max() ?? 0
        memoryLast = life[(quarter * 3)...].map(\.memory).max() ?? 0
    }

    mutating func record(_ world: World) {
        acknowledged = world.ledger.acknowledged
        failures = world.commonFailures.map { "\($0.count) \($0.text)" }
        rows = ([nil] + Trouble.allCases).compactMap { trouble in
            let row = Row(
                trouble: trouble, reads: world.stopwatch.record(of: .read, in: trouble),
                writes: world.stopwatch.record(of: .write, in: trouble))
            return trouble == nil || row.reads.waits.count + row.reads.refusals > 0 ? row : nil
        }
    }
}

extension SoakReport {
    /// A short table and the violated bounds.
    package var text: String {
        let head = line("", ["GETs", "50th", "99th", "worst", "failed", "PUTs", "50th", "99th", "worst", "failed"])
        let table = rows.map { line($0.trouble?.rawValue ?? "calm", columns($0.reads) + columns($0.writes)) }
        let memory = memoryThen > 0 ? ", \(memoryThen) in the second quarter, \(memoryLast) in the last" : ""
        let process = [
            "edits acknowledged \(acknowledged), lost \(lost.count); documents that did not reach a client \(unread.count)",
            "memory at most \(self.memory) MiB\(memory); clients' data at most \(Int(account) >> 20) of \(Int(accountLimit) >> 20) MiB",
            "descriptors at most \(descriptors), left over \(leftDescriptors); ended after \(ending.seconds) s with \(exitCode); check \(checkCode)",
        ]
        let met = failures.isEmpty ? [] : ["errors of clients:"] + failures.prefix(20).map { "  \($0)" }
        let verdict = breaches.isEmpty ? ["all bounds are met"] : breaches.map { "BROKEN: \($0)" }
        return (["milliseconds"] + [head] + table + process + met + verdict).joined(separator: "\n")
    }

    private func columns(_ record: Stopwatch.Record) -> [String] {
        let waits = record.waits
        return ["\(waits.count)"] + [waits.below(percent: 50), waits.below(percent: 99), waits.worst].map(\.milliseconds)
            + ["\(record.refusals)"]
    }

    private func line(_ name: String, _ columns: [String]) -> String {
        name.padding(toLength: 18, withPad: " ", startingAt: 0)
            + columns.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined()
    }
}

extension Duration {
    /// Formatted for the report.
    fileprivate var milliseconds: String { String(format: "%.1f", self / .milliseconds(1)) }

    var seconds: String { String(format: "%.1f", self / .seconds(1)) }
}
