import Storage

/// A target that fails at one of its writes: before it, or after it was made.
final class FailingTarget: CopyTarget {
    struct Failure: Error {}

    private let target: any CopyTarget
    private let last: Int
    private let isAfter: Bool
    private(set) var writes = 0

    /// - Parameters:
    ///   - last: The number of the write that fails, from 0.
    ///   - isAfter: Whether it was made nevertheless.
    init(_ target: any CopyTarget, at last: Int, isAfter: Bool) {
        self.target = target
        self.last = last
        self.isAfter = isAfter
    }

    var place: String { target.place }

    private func write(_ work: () throws -> Void) throws {
        defer { writes += 1 }
        if writes == last, !isAfter { throw Failure() }
        try work()
        if writes == last { throw Failure() }
    }

    func content() throws -> CopyTargetContent { try target.content() }
    func begin(_ record: CopyRecord) throws { try write { try target.begin(record) } }
    func add(_ rows: StoredRows, _ record: CopyRecord) throws { try write { try target.add(rows, record) } }
    func note(_ record: CopyRecord) throws { try write { try target.note(record) } }
    func change(_ record: CopyRecord, _ work: (any CopyTargetChange) throws -> Void) throws {
        try write { try target.change(record, work) }
    }
    func withSnapshot<Value>(_ work: (any RowSnapshot) throws -> Value) throws -> Value { try target.withSnapshot(work) }
    func complete(_ values: StoreValues, adding rows: [StoredRows]) throws { try write { try target.complete(values, adding: rows) } }
    func discardMovedStore() throws { try target.discardMovedStore() }
    func close() { target.close() }
}
