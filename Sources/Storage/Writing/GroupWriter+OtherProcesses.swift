import GRDB
import Synchronization

extension GroupWriter {
    /// Notes where the store stands before anybody follows it: what was committed until now is news to nobody.
    func noteState() throws {
        try database.inDatabase { database in
            let connection = try Connection(database, path: path)
            let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
            let sequence = try SQLiteSnapshot(connection).storedSequence()
            noticed.withLock { $0 = Noticed(sequence: sequence, dataVersion: version) }
        }
    }

    /// Tells followers of what other processes have committed since the last look, and then calls `done`.
    ///
    /// It looks on the connection that writes: for SQLite every commit but that connection's own is another's, and among ours it is the only
    /// one that commits.
    func lookForCommits(done: @escaping @Sendable () -> Void) {
        database.asyncWriteWithoutTransaction { database in
            defer { done() }
            // A store that is closed, or cannot be read now, has nothing to tell; whoever uses it hears why.
            guard let connection = try? Connection(database, path: self.path) else { return }
            try? self.lookForCommits(on: connection)
        }
    }

    private func lookForCommits(on connection: Connection) throws {
        let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
        guard version != noticed.withLock({ $0.dataVersion }) else { return }
        let snapshot = SQLiteSnapshot(connection)
        let sequence = try snapshot.storedSequence()
        let collections = try snapshot.collections().map(\.key)
        let isNew = noticed.withLock { noticed in
            noticed.dataVersion = version
            defer { noticed.sequence = sequence }
            return noticed.sequence != sequence
        }
        // Which documents it were, and whose access, would have to be searched for: each follower does that for itself.
        if isNew { hub.post(Commit(sequence: sequence, touchesUnified: true, collections: Set(collections), access: .everyone)) }
    }
}
