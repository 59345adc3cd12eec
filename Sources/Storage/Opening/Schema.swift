import GRDB

/// Brings a store's schema up to date.
struct Schema {
    /// Marks the file as ours in SQLite's header: `DuGa`.
    static let applicationID: Int64 = 0x4475_4761

    /// The store's folder, for messages.
    let path: String

    /// Checks that the database is ours, or new, and not newer than this program. Changes nothing.
    ///
    /// - Returns: The schema's version; 0 for a new database.
    @discardableResult
    func check(_ database: Database) throws -> Int {
        let application = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if application == 0, version == 0 {
            guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0 else { throw foreign }
            return 0
        }
        guard application == Self.applicationID else { throw foreign }
        guard version <= SchemaVersion.newest else {
            throw StorageError(
                .newerSchema,
                """
                \(path): the store has schema version \(version), and this program knows versions up to \(SchemaVersion.newest). \
                Open it with the newer program that wrote it, or restore a backup from before.
                """)
        }
        return version
    }

    /// Applies the steps that the database does not have, in one transaction.
    func migrate(_ database: Database) throws {
        guard try check(database) < SchemaVersion.newest else { return }
        try database.inTransaction(.immediate) {
            // Another process may have been faster.
            let version = try check(database)
            for step in SchemaVersion.all where step.number > version {
                try database.execute(sql: String(decoding: step.sql, as: UTF8.self))
            }
            try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(SchemaVersion.newest)")
            return .commit
        }
    }

    private var foreign: StorageError {
        StorageError(.notAStore, "\(path): store.sqlite was not written by this program. Check the path; nothing was changed.")
    }
}
