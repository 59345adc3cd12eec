import Documents
import Foundation
package import Storage

/// Copies a store while it is served, and goes on where an earlier process has stopped.
///
/// Rows are copied in the order of their keys from a snapshot; changes are applied to the rows that are there from each later snapshot. So the target
/// always has the rows up to a place as one snapshot of the source has them.
package final class StoreCopier {
    package struct Options: Sendable {
        /// Whether the source stays in use, and the target gets a fence like a restored backup.
        package var keepsSource = false

        /// The time for which one snapshot is read. A snapshot keeps old states in the source's engine.
        package var stretch = Duration.seconds(300)
        package var limit = BatchLimit()

        package init() {}
    }

    private let source: any CopySource
    private let target: any CopyTarget
    private let options: Options
    private let isCancelled: () -> Bool
    private let progress: (CopyProgress) -> Void

    private var plan = CopyPlan(CopyRecord(copy: "", source: "", store: ""))
    private var summary = CopySummary()
    private var compared = RowComparison()

    package init(
        _ source: any CopySource, _ target: any CopyTarget, _ options: Options = Options(), isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (CopyProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.options = options
        self.isCancelled = isCancelled
        self.progress = progress
    }

    /// Copies everything. Blocks.
    ///
    /// - Throws: ``StoreCopyError``; `StorageError`; `CancellationError`. The same call goes on with the copy.
    package func run() throws -> CopySummary {
        switch try ends().beginning() {
        case .fresh: try begin()
        case .replacing:
            try target.discardMovedStore()
            try begin()
        case .resumed(let record):
            plan = CopyPlan(record)
            summary.isResumed = true
        case .completing(let record):
            plan = CopyPlan(record)
            summary.isResumed = true
            try complete()
            try source.end()
            return finished()
        case .done:
            try source.end()
            summary.wasDone = true
            return summary
        }
        try copyAll()
        if options.keepsSource { try keep() } else { try move() }
        return finished()
    }

    private func finished() -> CopySummary {
        summary.rows = plan.record.rows
        summary.bytes = plan.record.bytes
        return summary
    }

    private func ends() throws -> CopyEnds {
        CopyEnds(
            source: source.place, target: target.place, uuid: try source.withSnapshot { try $0.values().uuid },
            outgoing: try source.outgoing(), moved: try source.moved(), content: try target.content())
    }

    private func begin() throws {
        if try source.outgoing() != nil { try source.end() }
        let copy = UUID().uuidString.lowercased()
        let uuid = try source.withSnapshot { try $0.values().uuid }
        try source.begin(OutgoingCopy(copy: copy, target: target.place))
        plan = CopyPlan(CopyRecord(copy: copy, source: source.place, store: Hex.text(uuid)))
        try target.begin(plan.record)
    }

    // MARK: Passes

    /// Copies and compares all rows, and then the changes, until few are left.
    private func copyAll() throws {
        var passes = 0
        while true {
            var changes: Int64 = 0
            let isFollowing = plan.record.phase == .following
            try source.withSnapshot { snapshot in
                changes = try follow(snapshot)
                if plan.record.phase == .copying { try copyRows(snapshot) } else if !isFollowing { try verifyRows(snapshot) }
            }
            try source.forgetChanges(upTo: plan.record.applied)
            guard isFollowing else { continue }
            passes += 1
            if CopyPlan.isLastPassDue(changes: changes, passes: passes) { return }
        }
    }

    /// Applies the changes up to a snapshot to the rows that are there, and compares them.
    ///
    /// - Returns: The number of changes.
    @discardableResult
    private func follow(_ snapshot: any JournaledSnapshot) throws -> Int64 {
        try checkCancelled()
        // The source reads its mark in the snapshot, too: another process may have ended this copy, and begun another.
        let isOwn = try source.outgoing()?.copy == plan.record.copy
        let (start, last) = (plan.record.applied, isOwn ? try snapshot.lastChange() : -1)
        guard last >= start else {
            throw StoreCopyError(
                .unrelated,
                """
                \(target.place): the unfinished copy cannot go on, because \(source.place) was restored, or another command has ended the copy. Remove \
                the unfinished copy and begin again.
                """)
        }
        guard last > start else { return 0 }
        let changed = try snapshot.changedTables(in: ChangeRange(after: start, upTo: last)).compactMap { table in
            plan.range(of: table, upTo: last).map { (table: table, range: $0) }
        }
        let applied = plan.applying(upTo: last)
        guard !changed.isEmpty else {
            try target.note(applied.record)
            plan = applied
            return last - start
        }
        var comparison = RowComparison()
        try target.change(applied.record) { change in
            for (table, range) in changed {
                let keys = try snapshot.changes(of: table, in: range)
                while let batch = try keys.next(options.limit) { try change.stage(batch) }
            }
            for (table, _) in changed { try change.removeStaged(of: table) }
            for (table, range) in changed {
                let rows = try snapshot.changedRows(of: table, in: range)
                while let batch = try rows.next(options.limit) { try change.add(batch) }
            }
            for (table, range) in changed {
                _ = try comparison.compare(try snapshot.changedRows(of: table, in: range), try change.stagedRows(of: table))
            }
            try refuse(comparison)
        }
        plan = applied
        summary.changes += last - start
        return last - start
    }

    private func copyRows(_ snapshot: any RowSnapshot) throws {
        let end = ContinuousClock.now + options.stretch
        while plan.record.phase == .copying, let (table, key) = plan.next {
            let stream = try snapshot.rows(of: table, after: key)
            while let batch = try stream.next(options.limit) {
                let next = plan.after(rows: batch.count, bytes: batch.bytes.count, upTo: batch.key(of: batch.count - 1))
                try target.add(batch, next.record)
                plan = next
                progress(CopyProgress(phase: .copying, table: table.name, rows: plan.record.rows, bytes: plan.record.bytes))
                try checkCancelled()
                if ContinuousClock.now >= end { return }
            }
            plan = plan.atEndOfTable()
        }
        try target.note(plan.record)
    }

    private func verifyRows(_ snapshot: any RowSnapshot) throws {
        let end = ContinuousClock.now + options.stretch
        while plan.record.phase == .verifying, let (table, key) = plan.next {
            var last = key
            let isEnded = try target.withSnapshot { copied in
                try compared.compare(
                    try snapshot.rows(of: table, after: key), try copied.rows(of: table, after: key), limit: options.limit
                ) { place in
                    last = place.key
                    progress(CopyProgress(phase: .verifying, table: table.name, rows: place.rows, bytes: place.bytes))
                    try checkCancelled()
                    return ContinuousClock.now < end
                }
            }
            try refuse(compared)
            let next = isEnded ? plan.atEndOfTable() : last.map { plan.after(rows: 0, bytes: 0, upTo: $0) } ?? plan
            try target.note(next.record)
            plan = next
            guard isEnded else { return }
        }
    }

    private func refuse(_ comparison: RowComparison) throws {
        guard comparison.count > 0 else { return }
        throw StoreCopyError(
            .different,
            """
            \(target.place): the copy differs from \(source.place) in \(comparison.count) rows and stays unfinished. Remove it and begin again; if \
            this repeats, check both stores.
              \(comparison.differences.map(\.description).joined(separator: "\n  "))
            """)
    }

    private func checkCancelled() throws {
        if isCancelled() { throw CancellationError() }
    }

    // MARK: The end

    /// Copies the rest while writers wait, marks the source, and completes the target.
    private func move() throws {
        let start = ContinuousClock.now
        try source.withWritersWaiting { snapshot in
            try follow(snapshot)
            return MovedMark(copy: plan.record.copy, target: target.place)
        }
        try complete()
        summary.pause = ContinuousClock.now - start
        try source.end()
    }

    /// Completes the target of a source that was moved, and takes no more writes.
    private func complete() throws {
        try source.withSnapshot { snapshot in
            try follow(snapshot)
            let values = try snapshot.values()
            try target.complete(values)
            var comparison = RowComparison()
            comparison.add(RowDifference.values(values, try target.withSnapshot { try $0.values() }))
            try refuse(comparison)
        }
    }

    /// Completes the target with the state of a last snapshot, and a fence: the source goes on with the same sequences.
    private func keep() throws {
        try source.withSnapshot { snapshot in
            try follow(snapshot)
            var values = try snapshot.values()
            let fence = StoreFence(after: values.counter)
            values.counter = fence.upper
            try target.complete(values, adding: CopiedTable.named("fences").map { [fence.row(of: $0)] } ?? [])
        }
        try source.end()
    }
}

extension StoreFence {
    /// The fence as a row of the table `fences`.
    func row(of table: CopiedTable) -> StoredRows {
        var rows = StoredRows(of: table)
        rows.beginRow()
        for column in table.columns { rows.append(integer: ["lower": lower, "upper": upper, "raised": raised][column.name] ?? 0) }
        rows.endRow()
        return rows
    }
}
