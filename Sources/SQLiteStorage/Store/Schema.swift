import GRDB
import Storage

/// Migrates a store's schema.
struct Schema {
    /// The application ID of a store in SQLite's header: `DuGa`.
    static let applicationID: Int64 = 0x4475_4761

    /// The store's folder, for messages.
    let path: String

    /// Checks that the database is a store or empty, and that its schema is not newer than this program. Changes nothing.
    ///
    /// - Returns: The schema's version; 0 for an empty database.
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

    /// Applies the missing steps in one transaction.
    func migrate(_ database: Database) throws {
        guard try check(database) < SchemaVersion.newest else { return }
        try database.inTransaction(.immediate) {
            // Another process may have migrated the store in the meantime.
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

/// A step of the schema: a file in `Schema/`.
struct SchemaVersion {
    let number: Int
    let sql: [UInt8]

    /// All steps, in the order of their numbers.
    static let all = [
        SchemaVersion(number: 1, sql: PackageResources._001_initial_sql),
        SchemaVersion(number: 2, sql: PackageResources._002_access_sql),
        SchemaVersion(number: 3, sql: PackageResources._003_channels_sql),
        SchemaVersion(number: 4, sql: PackageResources._004_expiry_sql),
        SchemaVersion(number: 5, sql: PackageResources._005_migration_runs_sql),
        SchemaVersion(number: 6, sql: PackageResources._006_checkpoints_sql),
        SchemaVersion(number: 7, sql: PackageResources._007_cutover_sql),
        SchemaVersion(number: 8, sql: PackageResources._008_parked_sql),
        SchemaVersion(number: 9, sql: PackageResources._009_conflicts_sql),
        SchemaVersion(number: 10, sql: PackageResources._010_versions_sql),
        SchemaVersion(number: 11, sql: PackageResources._011_earlier_versions_sql),
        SchemaVersion(number: 12, sql: PackageResources._012_departures_sql),
        SchemaVersion(number: 13, sql: PackageResources._013_restoring_sql),
        SchemaVersion(number: 14, sql: PackageResources._014_collections_sql),
        SchemaVersion(number: 15, sql: PackageResources._015_quarantine_rows_sql),
        SchemaVersion(number: 16, sql: PackageResources._016_visits_sql),
        SchemaVersion(number: 17, sql: PackageResources._017_upstream_sights_sql),
        SchemaVersion(number: 18, sql: PackageResources._018_returns_sql),
        SchemaVersion(number: 19, sql: PackageResources._019_upstream_losses_sql),
        SchemaVersion(number: 20, sql: PackageResources._020_upstream_numbers_sql),
        SchemaVersion(number: 21, sql: PackageResources._021_upstream_pulled_sql),
        SchemaVersion(number: 22, sql: PackageResources._022_sight_learned_sql),
        SchemaVersion(number: 23, sql: PackageResources._023_origin_sql),
        SchemaVersion(number: 24, sql: PackageResources._024_access_changes_sql),
        SchemaVersion(number: 25, sql: PackageResources._025_channels_apart_sql),
    ]

    static var newest: Int { all.last?.number ?? 0 }
}
