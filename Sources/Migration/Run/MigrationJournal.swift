import Foundation
import Gateway
import Storage

/// A run's journal in the store: its position and counts, written in the same transaction as the documents.
struct MigrationJournal: Sendable {
    /// The counts in the journal's encoding.
    struct Counts: Codable, Sendable {
        var collections: [ReportCollection] = []
        var documents = 0
        var bytes = 0
        var seconds = 0.0
        var resumed = 0

        /// Number of revisions that the login cannot read; `nil` in journals of versions that did not count them.
        var unseen: Int?

        /// Number of documents that were read and not quarantined, as in the report's table.
        var copied: Int { collections.reduce(0) { $0 + $1.documents } }
    }

    enum Beginning: Sendable, Equatable {
        case new
        /// Resumes an interrupted run.
        case resumed
        /// Repeats a finished run from its last cursor.
        case repeated
    }

    var record: MigrationRunRecord
    var counts: Counts
    let beginning: Beginning

    /// Result of the finished run that this one repeats.
    var repeated: Repeated?

    struct Repeated: Sendable {
        let documents: Int
        let finished: ReportTime?
    }

    var cursor: SourceCursor? { record.cursor.map { SourceCursor(rawValue: $0) } }

    /// Resumes or repeats the last run with the same source, routes and options, or begins a new one.
    static func open(
        _ database: Database, source: String, identity: String?, routes: String, options: String
    ) async throws -> MigrationJournal {
        try await database.inTransaction { transaction in
            let last = try transaction.migrationRuns().last { run in
                run.source == source && run.routes == routes && run.options == options && run.state != .cancelled
                    && (run.identity == nil || identity == nil || run.identity == identity)
            }
            if let last {
                var counts = try JSONDecoder().decode(Counts.self, from: Data(last.counts.utf8))
                counts.resumed += 1
                guard last.state == .finished else { return MigrationJournal(record: last, counts: counts, beginning: .resumed) }
                // A repeated run counts only its own documents.
                let repeated = Repeated(documents: counts.copied, finished: last.finished.map { ReportTime(seconds: $0 / 1000) })
                counts = Counts(resumed: counts.resumed)
                return MigrationJournal(record: last, counts: counts, beginning: .repeated, repeated: repeated)
            }
            return try begin(transaction, source: source, identity: identity, routes: routes, options: options)
        }
    }

    /// Cancels this run and begins a new one, because the source no longer accepts the cursor.
    func restarted(in database: Database) async throws -> MigrationJournal {
        try await database.inTransaction { transaction in
            var old = record
            old.state = .cancelled
            old.finished = Self.now
            try transaction.updateMigrationRun(old)
            return try Self.begin(
                transaction, source: old.source, identity: old.identity, routes: old.routes, options: old.options)
        }
    }

    /// Writes the journal as part of a transaction.
    func save(in transaction: any StoreTransaction) throws {
        try transaction.updateMigrationRun(record)
    }

    /// Updates the counts and the cursor.
    mutating func update(_ counts: Counts, cursor: SourceCursor?) throws {
        self.counts = counts
        if let cursor { record.cursor = cursor.rawValue }
        record.counts = try Self.text(counts)
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private static func begin(
        _ transaction: any StoreTransaction, source: String, identity: String?, routes: String, options: String
    ) throws -> MigrationJournal {
        let record = try transaction.beginMigrationRun(
            MigrationRunRecord(
                source: source, identity: identity, routes: routes, options: options, started: now, counts: try text(Counts())))
        return MigrationJournal(record: record, counts: Counts(), beginning: .new)
    }

    private static func text(_ counts: Counts) throws -> String {
        String(decoding: try JSONEncoder().encode(counts), as: UTF8.self)
    }
}
