import Migration

/// A file or a folder that documents are read from: a Couchbase Lite database, or a dump.
enum FileEndpoint {
    static func open(_ path: String) async throws -> any MigrationSource {
        throw SourceError(
            .unsupported, "\(path): neither a store (NAME.dualgauge), a Couchbase Lite database nor a dump by its name; see --help")
    }
}
