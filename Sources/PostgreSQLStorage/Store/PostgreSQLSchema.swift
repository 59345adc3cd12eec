import Storage

/// Creates and migrates a store's schema. The applied steps are in the table `schema_versions`.
struct PostgreSQLSchema {
    /// A file in `Schema/`: the baseline, which creates a store, or a migration from the version before.
    struct Step: Sendable {
        let number: Int
        let sql: [UInt8]
    }

    /// All steps, in the order of their numbers.
    static let all = [
        Step(number: 1, sql: PackageResources._001_baseline_sql), Step(number: 2, sql: PackageResources._002_promotions_sql),
    ]

    /// The version that this program writes.
    static var newest: Int { all.last?.number ?? 0 }

    let connection: PostgreSQLConnection
    var steps = Self.all

    private var address: PostgreSQLAddress { connection.address }
    private var newest: Int { steps.last?.number ?? 0 }

    /// How often the creation is tried again because another process creates the same schema.
    private static let mostTries = 5

    /// The names of all tables, indexes and sequences in the schema.
    func tables() throws -> [String] {
        try connection.all(
            "SELECT relname FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = convert_from($1, 'UTF8'))",
            address.schema
        ) { $0.text(0) }
    }

    /// The names of the tables in the schema.
    func ownTables() throws -> [String] {
        try connection.all(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        ) { $0.text(0) }
    }

    /// Checks that the schema is missing, empty, or that of a store whose version this program reads or migrates. Changes nothing.
    ///
    /// - Returns: The version; 0 for a schema that is empty or missing.
    /// - Throws: ``StorageError``: `notAStore`, `newerSchema`.
    func version() throws -> Int {
        let tables = try tables()
        guard !tables.isEmpty else { return 0 }
        guard !tables.contains("unfinished_copy") else { throw CopyMarkText.unfinished(at: address.description) }
        guard tables.contains("schema_versions"), tables.contains("writers") else {
            throw StorageError(
                .notAStore, "\(address.description): the schema has tables of another program. Choose another schema; nothing was changed.")
        }
        let version = try connection.first("SELECT max(number) FROM schema_versions") { Int($0.integer(0)) } ?? 0
        guard version <= newest else {
            throw StorageError(
                .newerSchema,
                """
                \(address.description): the store has schema version \(version), and this program knows versions up to \(newest). \
                Open it with the newer program that wrote it, or restore a backup from before.
                """)
        }
        return version
    }

    /// Checks that the store can be read without a migration. Changes nothing.
    func checkReadable() throws {
        let version = try version()
        guard version > 0 else {
            throw StorageError(.notFound, "\(address.description): there is no store here. Check the address and the schema.")
        }
        guard version == newest else {
            throw StorageError(
                .olderSchema,
                """
                \(address.description): the store has schema version \(version), and this program reads version \(newest). `serve` and every \
                command that writes migrate the store. To read it before that, use the program that wrote it.
                """)
        }
    }

    /// Applies the missing steps, each process after the other.
    ///
    /// - Parameter createsIfMissing: Whether a missing store is created.
    func migrate(createsIfMissing: Bool) throws {
        for attempt in 1... {
            let version = try version()
            guard version < newest else { return }
            guard version > 0 || createsIfMissing else {
                throw StorageError(.notFound, "\(address.description): there is no store here. Check the address and the schema.")
            }
            do {
                return try apply(after: version)
            } catch let error as StorageError where error.code == .conflict && attempt < Self.mostTries {
                // Another process has created the schema or applied a step at the same time.
                connection.rollBack()
            } catch {
                connection.rollBack()
                throw error
            }
        }
    }

    /// Applies the steps after a version in one transaction.
    private func apply(after version: Int) throws {
        // `CREATE SCHEMA IF NOT EXISTS` needs the right to create schemas even if the schema is there.
        let isThere = try connection.first("SELECT 1 FROM pg_namespace WHERE nspname = convert_from($1, 'UTF8')", address.schema) { _ in
            true
        }
        var script = "BEGIN;\n"
        if isThere != true { script += "CREATE SCHEMA \(address.quotedSchema);\n" }
        script += "CREATE TABLE IF NOT EXISTS schema_versions (number bigint PRIMARY KEY);\n"
        // The lock is held until the end. A process that has waited for it fails at the number that the other one has added.
        script += "LOCK TABLE schema_versions IN ACCESS EXCLUSIVE MODE;\n"
        for step in steps where step.number > version {
            script += "INSERT INTO schema_versions (number) VALUES (\(step.number));\n"
            script += String(decoding: step.sql, as: UTF8.self) + ";\n"
        }
        try connection.execute(script: script + "COMMIT")
    }
}
