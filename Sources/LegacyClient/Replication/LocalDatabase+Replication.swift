public import LocalStore

extension LocalDatabase {
    /// Creates a replication that sends the documents of all collections to a database on a server, as one flat set of IDs
    /// (`LocalDatabase.unified`).
    ///
    /// - Parameter url: `http://host:port/database` or `https://…`.
    /// - Returns: A stopped replication. It runs as long as it is referenced.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    public func createPushReplication(_ url: String) throws(ReplicationError) -> Replication {
        try unified.createPushReplication(url)
    }

    /// Creates a replication that receives documents from a database on a server. New documents become documents of the default collection.
    ///
    /// - Parameter url: `http://host:port/database` or `https://…`.
    /// - Returns: A stopped replication. It runs as long as it is referenced.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    public func createPullReplication(_ url: String) throws(ReplicationError) -> Replication {
        try unified.createPullReplication(url)
    }
}

extension LocalCollection {
    /// Creates a replication that sends documents from this collection to a database on a server.
    ///
    /// - Parameter url: `http://host:port/database` or `https://…`; for one collection of a bridge `…/database.scope.collection`.
    /// - Returns: A stopped replication. It runs as long as it is referenced.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    public func createPushReplication(_ url: String) throws(ReplicationError) -> Replication {
        try Replication(.push, localDatabase: keyspace, remoteURL: url)
    }

    /// Creates a replication that receives documents from a database on a server into this collection.
    ///
    /// - Parameter url: `http://host:port/database` or `https://…`; for one collection of a bridge `…/database.scope.collection`.
    /// - Returns: A stopped replication. It runs as long as it is referenced.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    public func createPullReplication(_ url: String) throws(ReplicationError) -> Replication {
        try Replication(.pull, localDatabase: keyspace, remoteURL: url)
    }
}
