import Foundation
import StoreCopy

/// The output of `copy`: text, or a JSON object with `--json`.
struct CopyOutput: Encodable {
    let source: String
    let target: String

    /// The rows that were copied at first, their bytes, and the changes that were copied afterwards.
    let rows: Int
    let bytes: Int
    let changes: Int64

    /// The milliseconds for which writers waited.
    let pause: Int64

    /// Whether the source stays in use.
    let kept: Bool

    /// Whether an earlier call had begun the copy, and whether it had completed it.
    let resumed: Bool
    let already: Bool

    init(_ source: String, _ target: String, _ summary: CopySummary, keeps: Bool) {
        self.source = source
        self.target = target
        rows = summary.rows
        bytes = summary.bytes
        changes = summary.changes
        let (seconds, attoseconds) = summary.pause.components
        pause = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        kept = keeps
        resumed = summary.isResumed
        already = summary.wasDone
    }

    var rendered: String {
        if already { return "\(target) is complete already: it has everything of \(source)." }
        let amount = "\(rows) rows, \(bytes) bytes, and \(changes) changes since"
        guard !kept else { return "\(source) is copied to \(target): \(amount). All rows are equal. \(source) stays in use." }
        return """
            \(source) is moved to \(target): \(amount). All rows are equal. Writers waited for \(pause) ms.
            Change `store:` in the bridge's configuration, and restart it. \(source) refuses writes from now on.
            """
    }
}

/// The output of `copy --verify-only`.
struct CopyComparisonOutput: Encodable {
    let source: String
    let target: String
    let equal: Bool
    let rows: Int
    let bytes: Int
    let differenceCount: Int
    let differences: [String]

    init(_ source: String, _ target: String, _ comparison: RowComparison) {
        self.source = source
        self.target = target
        equal = comparison.count == 0
        rows = comparison.rows
        bytes = comparison.bytes
        differenceCount = comparison.count
        differences = comparison.differences.map(\.description)
    }

    var rendered: String {
        guard !equal else { return "Equal: \(rows) rows of \(bytes) bytes." }
        let rest = differenceCount - differences.count
        let more = rest > 0 ? ["and \(rest) more"] : []
        return (["\(differenceCount) differences in \(rows) rows:"] + differences + more).joined(separator: "\n  ")
    }
}

/// The output of `copy --release`.
struct CopyReleaseOutput: Encodable {
    let store: String
    let wasMoved: Bool

    enum CodingKeys: String, CodingKey {
        case store
        case wasMoved = "moved"
    }
}
