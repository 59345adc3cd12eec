import Gateway

/// A source that knows its documents by a second name: that in the flat keyspace of legacy clients.
protocol LegacyNamed: MigrationSource {
    /// - Returns: for each document its legacy ID; `nil` for one that was never in the flat keyspace.
    func legacyIDs(of documents: [SourceDocument]) async throws -> [String?]
}

extension MigrationSource {
    /// The names in a flat keyspace: those of the default collection are known by their own.
    func flatIDs(of documents: [SourceDocument]) async throws -> [String?] {
        if let named = self as? any LegacyNamed { return try await named.legacyIDs(of: documents) }
        return documents.map { $0.collection == .default ? $0.id : nil }
    }
}
