/// What a 1.x server says of a database.
public struct LegacyDatabaseInfo: Sendable, Equatable {
    /// `Sync Gateway 2.8.4`, `CouchDB`, `1.x server`.
    public let server: String

    /// What tells it from another database at the same URL, where the server says it.
    public let identity: String?

    /// How many documents it has, tombstones included where the server counts them.
    public let documents: Int?
}

extension ServerFeatures {
    /// What the server is, in words.
    var name: String {
        if let syncGatewayVersion { return "Sync Gateway \(syncGatewayVersion)" }
        return isCouchbaseLite ? "Couchbase Lite listener" : isCouchDB ? "CouchDB" : "1.x server"
    }
}
