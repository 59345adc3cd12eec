/// The place in which a copy is made. One thread uses it, and its calls block.
package protocol CopyTarget: AnyObject {
    /// The place, for messages.
    var place: String { get }

    /// The content of the place.
    ///
    /// - Throws: ``StorageError``: `notAStore` for data of another program; errors of reading.
    func content() throws -> CopyTargetContent

    /// Creates an unfinished copy in an empty place.
    func begin(_ record: CopyRecord) throws

    /// Adds rows that are not there yet, and records the progress, in one transaction.
    func add(_ rows: StoredRows, _ record: CopyRecord) throws

    /// Changes rows and records the progress in one transaction, which is on the disk at the return.
    func change(_ record: CopyRecord, _ work: (any CopyTargetChange) throws -> Void) throws

    /// Records the progress.
    func note(_ record: CopyRecord) throws

    /// Runs `work` on a snapshot of an unfinished copy, or of a store.
    func withSnapshot<Value>(_ work: (any RowSnapshot) throws -> Value) throws -> Value

    /// Makes the unfinished copy a store, by one commit that is on the disk at the return.
    ///
    /// - Parameters:
    ///   - values: The store's single values.
    ///   - rows: Further rows of the store.
    func complete(_ values: StoreValues, adding rows: [StoredRows]) throws

    /// Removes a store that was moved away, so that the place is empty.
    func discardMovedStore() throws

    func close()
}

/// The content of a place in which a copy is wanted.
package enum CopyTargetContent: Hashable, Sendable {
    case empty
    case unfinished(CopyRecord)

    /// A store with this UUID.
    case store(uuid: [UInt8], moved: MovedMark?)
}

/// A transaction that changes copied rows.
///
/// All rows are removed before the new ones are added. So rows that exchange the values of a unique index do not contradict each other.
package protocol CopyTargetChange: AnyObject {
    /// Names rows that have changed, as ``CopiedTable/changes(in:)``.
    func stage(_ keys: StoredRows) throws

    /// Removes the named rows of a table.
    func removeStaged(of table: CopiedTable) throws
    func add(_ rows: StoredRows) throws

    /// The named rows that are there.
    func stagedRows(of table: CopiedTable) throws -> any RowStream
}

extension CopyTarget {
    /// Makes the unfinished copy a store.
    package func complete(_ values: StoreValues) throws { try complete(values, adding: []) }
}
