import Storage
import Synchronization

/// Checks a store for inconsistencies.
struct StoreChecker {
    let snapshot: SQLiteSnapshot
    private let limit: Int
    private let progress: @Sendable (CheckProgress) -> Void
    private let cancellation: Cancellation

    var report = CheckReport()

    /// The documents of each scope, counted during the check.
    var counted: [FeedScope: DocumentCounts] = [:]
    var lastSequence = SequenceNumber.zero
    var collections: [CollectionKey: CollectionRecord] = [:]

    init(
        _ snapshot: SQLiteSnapshot, limit: Int, progress: @escaping @Sendable (CheckProgress) -> Void, cancellation: Cancellation
    ) {
        self.snapshot = snapshot
        self.limit = limit
        self.progress = progress
        self.cancellation = cancellation
    }

    var connection: Connection { snapshot.connection }

    mutating func check() throws -> CheckReport {
        // Any stage can hit a damaged page. That is a finding, not a failure of the check.
        do {
            try checkFile()
            try checkDatabase()
            try checkDocuments()
            try checkCounts()
            try checkReferences()
            try checkAttachments()
        } catch let error as StorageError where error.code == .corrupt {
            record(.file, "the check was stopped by an error: \(error)")
        }
        return report
    }

    mutating func record(_ subject: StoreProblem.Subject, _ message: String) {
        report.counts[subject, default: 0] += 1
        if report.problems.count < limit { report.problems.append(StoreProblem(subject, message)) }
    }

    /// Reports progress. Throws if the check was cancelled.
    func tick(_ stage: CheckProgress.Stage, _ done: Int64, of total: Int64, every steps: Int64 = 1000) throws {
        guard done % steps == 0 || done == total else { return }
        try cancellation.check()
        progress(CheckProgress(stage: stage, done: done, total: total))
    }

    func count(_ sql: StaticString) throws -> Int64 {
        try connection.first(sql) { $0.integer(0) } ?? 0
    }

    private mutating func checkFile() throws {
        try tick(.file, 0, of: 1)
        // SQLite stops after a hundred problems.
        for finding in try connection.all("PRAGMA integrity_check", row: { $0.text(0) }) where finding != "ok" {
            record(.file, finding)
        }
        try tick(.file, 1, of: 1)
    }

    private mutating func checkDatabase() throws {
        do {
            lastSequence = try snapshot.storedSequence()
            _ = try snapshot.uuid
            collections = Dictionary(try snapshot.collections().map { ($0.key, $0) }) { first, _ in first }
        } catch let error as StorageError where error.code == .corrupt {
            record(.database, error.message)
        }
    }

    private mutating func checkCounts() throws {
        for scope in [.unified] + collections.keys.sorted().map({ FeedScope.collection($0) }) {
            let stored = try snapshot.counts(scope)
            let found = counted[scope] ?? DocumentCounts()
            if stored != found { record(.database, "the counts of \(scope) are \(stored), but there are \(found)") }
        }
    }
}

/// Passes the cancellation of a task to work on another thread.
final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
}

extension SQLiteStore {
    /// Checks the whole store: SQLite's file, documents, bodies, references, and all attachment bytes.
    ///
    /// The check reads one snapshot in constant memory, while the store is in use. The write-ahead log cannot be truncated until the check ends.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of described problems; all are counted.
    ///   - progress: Called regularly on the check's thread.
    /// - Throws: ``StorageError`` if the store cannot be read at all; `CancellationError`.
    package func check(
        limit: Int = 100, progress: @escaping @Sendable (CheckProgress) -> Void = { _ in }
    ) async throws -> CheckReport {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await readers.read { snapshot in
                var checker = StoreChecker(snapshot, limit: limit, progress: progress, cancellation: cancellation)
                return try checker.check()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
