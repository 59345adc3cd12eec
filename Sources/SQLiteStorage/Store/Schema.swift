import GRDB
import Storage

/// Creates and migrates a store's schema. The schema's version is in SQLite's `user_version`.
struct Schema {
    /// The application ID of a store in SQLite's header: `DuGa`.
    static let applicationID: Int64 = 0x4475_4761

    /// The application ID of an unfinished copy: `DuGc`.
    static let unfinishedID: Int64 = 0x4475_4763

    /// The store's folder, for messages.
    let path: String

    /// The baseline and the later steps, in the order of their numbers.
    var steps = SchemaVersion.all

    /// The version of the baseline. Older stores are refused.
    private var oldest: Int { steps.first?.number ?? 0 }

    /// The version that this program writes.
    private var newest: Int { steps.last?.number ?? 0 }

    /// Checks that the database is empty, or a store whose schema this program reads or migrates. Changes nothing.
    ///
    /// - Returns: The schema's version; 0 for an empty database.
    /// - Throws: ``StorageError``: `notAStore`, `newerSchema`, `olderSchema` for a schema from before the baseline.
    @discardableResult
    func check(_ database: Database) throws -> Int {
        let application = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if application == 0, version == 0 {
            guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0 else { throw foreign }
            return 0
        }
        guard application != Self.unfinishedID else { throw CopyMarkText.unfinished(at: path) }
        guard application == Self.applicationID else { throw foreign }
        guard version <= newest else {
            throw StorageError(
                .newerSchema,
                """
                \(path): the store has schema version \(version), and this program knows versions up to \(newest). \
                Open it with the newer program that wrote it, or restore a backup from before.
                """)
        }
        guard version >= oldest else {
            throw StorageError(
                .olderSchema,
                """
                \(path): the store has schema version \(version). A development build from before the first release wrote it, and this program \
                reads versions from \(oldest) on. Serve the store with that build and copy its documents from there with \
                `dualgauge migrate --from`, or start with a new store and import from the old server again.
                """)
        }
        return version
    }

    /// Checks that the database can be read without a migration. Changes nothing.
    ///
    /// - Throws: ``StorageError`` like ``check(_:)``; also `olderSchema` for a schema that needs a migration.
    func checkReadable(_ database: Database) throws {
        let version = try check(database)
        guard version == newest else {
            throw StorageError(
                .olderSchema,
                """
                \(path): the store has schema version \(version), and this program reads version \(newest). `serve` and every command that \
                writes migrate the store. To read it or back it up before that, use the program that wrote it.
                """)
        }
    }

    /// Applies the missing steps in one transaction.
    func migrate(_ database: Database) throws {
        guard try check(database) < newest else { return }
        try database.inTransaction(.immediate) {
            // Another process may have migrated the store in the meantime.
            let version = try check(database)
            for step in steps where step.number > version {
                try database.execute(sql: String(decoding: step.sql, as: UTF8.self))
            }
            try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(newest)")
            return .commit
        }
    }

    private var foreign: StorageError {
        StorageError(.notAStore, "\(path): store.sqlite was not written by this program. Check the path; nothing was changed.")
    }
}

/// A file in `Schema/`: the baseline, which creates a store, or a migration from the version before.
struct SchemaVersion {
    let number: Int
    let sql: [UInt8]

    /// All steps, in the order of their numbers.
    static let all = [SchemaVersion(number: 25, sql: PackageResources._025_baseline_sql)]

    /// The number of the last step.
    static var newest: Int { all.last?.number ?? 0 }
}
