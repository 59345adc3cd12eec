import Foundation

extension SoakReport {
    /// A short table, and the bounds that were broken.
    package var text: String {
        let head = line("", ["GETs", "50th", "99th", "worst", "failed", "PUTs", "50th", "99th", "worst", "failed"])
        let table = rows.map { line($0.trouble?.rawValue ?? "calm", columns($0.reads) + columns($0.writes)) }
        let memory = memoryThen > 0 ? ", \(memoryThen) in the second quarter, \(memoryLast) in the last" : ""
        let process = [
            "edits acknowledged \(acknowledged), lost \(lost.count); documents that did not come to a client \(unread.count)",
            "memory at most \(self.memory) MiB\(memory); clients' data at most \(Int(account) >> 20) of \(Int(accountLimit) >> 20) MiB",
            "descriptors at most \(descriptors), left over \(leftDescriptors); ended after \(ending.seconds) s with \(exitCode); check \(checkCode)",
        ]
        let met = failures.isEmpty ? [] : ["clients met:"] + failures.prefix(20).map { "  \($0)" }
        let verdict = breaches.isEmpty ? ["all bounds are kept"] : breaches.map { "BROKEN: \($0)" }
        return (["milliseconds"] + [head] + table + process + met + verdict).joined(separator: "\n")
    }

    private func columns(_ record: Stopwatch.Record) -> [String] {
        let waits = record.waits
        return ["\(waits.count)"] + [waits.below(percent: 50), waits.below(percent: 99), waits.worst].map(\.milliseconds)
            + ["\(record.refusals)"]
    }

    private func line(_ name: String, _ columns: [String]) -> String {
        name.padding(toLength: 9, withPad: " ", startingAt: 0)
            + columns.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined()
    }
}

extension Duration {
    /// In words of a report.
    fileprivate var milliseconds: String { String(format: "%.1f", self / .milliseconds(1)) }

    var seconds: String { String(format: "%.1f", self / .seconds(1)) }
}
