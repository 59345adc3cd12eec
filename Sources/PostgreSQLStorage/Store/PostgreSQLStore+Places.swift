package import Storage

/// Questions about the stores of a PostgreSQL database, without opening one. All of them block.
extension PostgreSQLStore {
    /// The names of the schemas with a store of this program, sorted.
    ///
    /// - Parameter url: The server and the database, as for ``init(url:schema:options:)``.
    /// - Throws: ``StorageError``.
    package static func schemas(url: String) throws -> [String] {
        try connect(url, "public").all(
            """
            SELECT convert_to(nspname::text, 'UTF8') FROM pg_namespace n
            WHERE (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname IN ('schema_versions', 'writers', 'store')) = 3
            """
        ) { $0.text(0) }.sorted()
    }

    /// Whether there is a store in a schema.
    package static func exists(url: String, schema: String) throws -> Bool {
        try PostgreSQLSchema(connection: connect(url, schema)).version() > 0
    }

    /// Inspects a store without a migration.
    ///
    /// - Returns: `nil` if there is no store.
    /// - Throws: ``StorageError``.
    package static func inspect(url: String, schema: String) throws -> StoreInspection? {
        let connection = try connect(url, schema)
        guard try PostgreSQLSchema(connection: connection).version() > 0 else { return nil }
        return StoreInspection(
            collections: try connection.all(
                """
                SELECT scope, name, coalesce((SELECT live + tombstones FROM document_counts WHERE document_counts.scope = collections.key), 0)
                FROM collections ORDER BY key
                """
            ) { StoreInspection.Collection(scope: $0.text(0), name: $0.text(1), documents: $0.integer(2)) })
    }

    /// Deletes a store with its schema. Nothing happens if there is none.
    ///
    /// - Throws: ``StorageError``; `notAStore` for a schema of another program.
    package static func remove(url: String, schema: String) throws {
        let connection = try connect(url, schema, isReadOnly: false)
        guard try PostgreSQLSchema(connection: connection).version() > 0 else { return }
        try connection.execute(script: "DROP SCHEMA \(connection.address.quotedSchema) CASCADE")
    }

    /// Checks an address without connecting, and describes it without the password: the hosts, the database and the schema.
    ///
    /// - Throws: ``StorageError`` `invalidArgument`.
    package static func describe(url: String, schema: String) throws -> String {
        try PostgreSQLAddress(url: url, schema: schema, isReadOnly: false).description
    }

    private static func connect(_ url: String, _ schema: String, isReadOnly: Bool = true) throws -> PostgreSQLConnection {
        let options = Options()
        return try PostgreSQLConnector(
            address: try PostgreSQLAddress(url: url, schema: schema, isReadOnly: isReadOnly), statementTimeout: options.statementTimeout,
            lockTimeout: options.lockTimeout, idleTimeout: options.idleTimeout
        ).connect()
    }
}
