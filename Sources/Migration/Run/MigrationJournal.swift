import Foundation
import Gateway
import Storage

/// A run's journal in the store: where it has come to, written with the documents that brought it there.
struct MigrationJournal: Sendable {
    /// What was counted, as it stands in the journal.
    struct Counts: Codable, Sendable {
        var collections: [ReportCollection] = []
        var documents = 0
        var bytes = 0
        var seconds = 0.0
        var resumed = 0

        /// Revisions that the login may not see; `nil` in journals that know none.
        var unseen: Int?

        /// Those that could be read and were not put into quarantine, as the report's table has them.
        var copied: Int { collections.reduce(0) { $0 + $1.documents } }
    }

    enum Beginning: Sendable, Equatable {
        case new
        /// An earlier run had stopped.
        case resumed
        /// An earlier run had come to its end.
        case repeated
    }

    var record: MigrationRunRecord
    var counts: Counts
    let beginning: Beginning

    /// What the run before had come to, where this one repeats it.
    var repeated: Repeated?

    struct Repeated: Sendable {
        let documents: Int
        let finished: ReportTime?
    }

    var cursor: SourceCursor? { record.cursor.map { SourceCursor(rawValue: $0) } }

    /// Goes on with the last run from this source with these routes and options, or begins one.
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
                // What comes now is counted anew.
                let repeated = Repeated(documents: counts.copied, finished: last.finished.map { ReportTime(seconds: $0 / 1000) })
                counts = Counts(resumed: counts.resumed)
                return MigrationJournal(record: last, counts: counts, beginning: .repeated, repeated: repeated)
            }
            return try begin(transaction, source: source, identity: identity, routes: routes, options: options)
        }
    }

    /// Begins anew, because the source does not know the cursor any more.
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

    /// Writes the journal with whatever else the transaction writes.
    func save(in transaction: any StoreTransaction) throws {
        try transaction.updateMigrationRun(record)
    }

    /// Takes in what has been counted.
    mutating func note(_ counts: Counts, cursor: SourceCursor?) throws {
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
