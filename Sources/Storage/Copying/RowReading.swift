/// Rows of a table, read in batches. The thread that made it uses it.
package protocol RowStream: AnyObject {
    /// The next rows, at least one; `nil` at the end.
    func next(_ limit: BatchLimit) throws -> StoredRows?
}

/// A range of a source's changes, and the last row of which the changes are wanted.
package struct ChangeRange: Sendable {
    /// The changes behind this number are in the range.
    package let start: Int64

    /// The last change in the range.
    package let end: Int64

    /// Changes of rows behind this key are left out; `nil` for no limit.
    package let last: StoredKey?

    package init(after start: Int64, upTo end: Int64, last: StoredKey? = nil) {
        self.start = start
        self.end = end
        self.last = last
    }
}

/// One state of a store, of which rows are read in the order of their keys. One stream is read at a time; a stream that is not read to its end makes
/// the snapshot unusable.
package protocol RowSnapshot: AnyObject {
    func values() throws -> StoreValues

    /// The rows behind a key; all rows for `nil`.
    func rows(of table: CopiedTable, after key: StoredKey?) throws -> any RowStream
}

/// A state of a store whose changes are noted in its journal.
package protocol JournaledSnapshot: RowSnapshot {
    /// The number of the last change; 0 before the first change.
    func lastChange() throws -> Int64

    /// The tables with changes in a range.
    func changedTables(in range: ChangeRange) throws -> [CopiedTable]

    /// The keys of the changed rows, each once, as ``CopiedTable/changes(in:)``.
    func changes(of table: CopiedTable, in range: ChangeRange) throws -> any RowStream

    /// The changed rows that are there.
    func changedRows(of table: CopiedTable, in range: ChangeRange) throws -> any RowStream
}
