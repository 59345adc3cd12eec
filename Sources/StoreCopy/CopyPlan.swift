package import Storage

/// The order of a copy's work: which rows are next, and which changes concern the rows that are there.
package struct CopyPlan: Sendable {
    /// The changes of one pass below which the rest is copied while writers wait.
    package static let smallRest: Int64 = 2_000

    /// The passes after which the rest is copied while writers wait, however large it is: a writer may be faster than the copy.
    package static let mostPasses = 12

    package private(set) var record: CopyRecord
    private let tables: [CopiedTable]

    package init(_ record: CopyRecord, tables: [CopiedTable] = CopiedTable.all) {
        self.record = record
        self.tables = tables
        if self.record.phase != .following, self.record.table == nil { self.record.table = tables.first?.name }
    }

    /// The table in work, and the row behind which the work goes on; `nil` if no rows are left in any phase.
    package var next: (table: CopiedTable, after: StoredKey?)? {
        guard record.phase != .following, let table = tables.first(where: { $0.name == record.table }) else { return nil }
        return (table, record.key)
    }

    /// The state after rows were copied or compared.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - key: The key of the last row.
    package func after(rows: Int, bytes: Int, upTo key: StoredKey) -> CopyPlan {
        var plan = self
        plan.record.key = key
        if record.phase == .copying {
            plan.record.rows += rows
            plan.record.bytes += bytes
        }
        return plan
    }

    /// The state at the end of the table in work.
    package func atEndOfTable() -> CopyPlan {
        var plan = self
        plan.record.key = nil
        let index = tables.firstIndex { $0.name == record.table } ?? tables.endIndex
        if index + 1 < tables.count {
            plan.record.table = tables[index + 1].name
            return plan
        }
        switch record.phase {
        case .copying:
            plan.record.phase = .verifying
            plan.record.table = tables.first?.name
        case .verifying, .following:
            plan.record.phase = .following
            plan.record.table = nil
        }
        return plan
    }

    /// The state after the changes up to a number were applied.
    package func applying(upTo number: Int64) -> CopyPlan {
        var plan = self
        plan.record.applied = number
        return plan
    }

    /// The changes of a table that concern rows that are there; `nil` if none of its rows are. Rows behind the place of the copy are read later, with
    /// their changes.
    package func range(of table: CopiedTable, upTo number: Int64) -> ChangeRange? {
        let all = ChangeRange(after: record.applied, upTo: number)
        guard record.phase == .copying else { return all }
        let place = tables.firstIndex { $0.name == record.table } ?? tables.endIndex
        let index = tables.firstIndex(of: table) ?? tables.endIndex
        if index < place { return all }
        guard index == place, let key = record.key else { return nil }
        return ChangeRange(after: record.applied, upTo: number, last: key)
    }

    /// Whether the rest of the changes is copied while writers wait.
    ///
    /// - Parameters:
    ///   - changes: The changes that the last pass has applied.
    ///   - passes: The passes since all rows were compared.
    package static func isLastPassDue(changes: Int64, passes: Int) -> Bool { changes <= smallRest || passes >= mostPasses }
}
