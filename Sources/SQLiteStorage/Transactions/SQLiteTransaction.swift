import Foundation
import Storage

/// Reads and writes within an SQLite transaction.
final class SQLiteTransaction: SQLiteSnapshot, StoreTransaction {
    /// The pending changes. A value, so that one caller's work can be rolled back.
    var changes = TransactionChanges(sequence: .zero)

    /// The counter at the start of the transaction.
    let startSequence: SequenceNumber

    /// Reads the counter from the database, because another process may have raised it.
    ///
    /// - Throws: ``StorageError`` `moved` for a store that was moved to another place.
    init(beginningOn connection: Connection) throws {
        startSequence = try SQLiteSnapshot(connection).writableSequence()
        super.init(connection)
        changes.sequence = startSequence
    }

    override var lastSequence: SequenceNumber {
        get throws { changes.sequence }
    }

    override var accessVersion: Int64? {
        get throws { changes.access.isEmpty ? try super.accessVersion : nil }
    }

    override func isAccessUnchanged(of grantees: Set<Grantee>, since version: Int64) throws -> Bool {
        try !changes.access.concerns(grantees) && super.isAccessUnchanged(of: grantees, since: version)
    }

    override var lastChannelOnlySequence: SequenceNumber {
        get throws { max(changes.lastChannelOnlySequence, try super.lastChannelOnlySequence) }
    }

    override var collectionsVersion: Int64? {
        get throws { changes.touchesCollections ? nil : try super.collectionsVersion }
    }

    override func counts(_ scope: FeedScope) throws -> DocumentCounts {
        let stored = try super.counts(scope)
        guard let more = changes.counts(scope) else { return stored }
        return stored + more
    }

    func attempt<Value>(_ work: () throws -> Value) throws -> Value {
        let mark = changes
        try connection.run("SAVEPOINT attempt")
        do {
            let value = try work()
            try connection.run("RELEASE attempt")
            return value
        } catch {
            guard connection.isInTransaction, (error as? StorageError)?.isOfStore != true else { throw error }
            try connection.run("ROLLBACK TO attempt")
            try connection.run("RELEASE attempt")
            changes = mark
            throw error
        }
    }

    /// Writes the pending changes, and returns the changes of the commit.
    func finish() throws -> Commit {
        if changes.sequence != startSequence {
            try connection.run("UPDATE settings SET value = ?1 WHERE name = 'store.counter'", changes.sequence)
        }
        if !changes.access.isEmpty { try recordAccessChange() }
        if changes.lastChannelOnlySequence > .zero {
            try connection.run(
                "UPDATE settings SET value = max(value, ?1) WHERE name = 'store.channels.apart'", changes.lastChannelOnlySequence)
        }
        if changes.touchesCollections {
            try connection.run("UPDATE settings SET value = value + 1 WHERE name = 'store.collections'")
        }
        for scope in changes.scopes {
            try connection.run(
                """
                INSERT INTO document_counts (scope, live, tombstones, conflicted, misplaced, qualified)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (scope) DO UPDATE SET live = live + excluded.live, tombstones = tombstones + excluded.tombstones,
                    conflicted = conflicted + excluded.conflicted, misplaced = misplaced + excluded.misplaced,
                    qualified = qualified + excluded.qualified
                """,
                scope.number, scope.counts.live, scope.counts.tombstones, scope.counts.conflicted, scope.counts.misplaced,
                scope.counts.qualified)
        }
        return changes.commit
    }

    /// Milliseconds since 1970.
    var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    func invalid(_ what: String) -> StorageError {
        StorageError(.invalidArgument, "\(connection.path): \(what).")
    }

    func missing(_ what: String) -> StorageError {
        StorageError(.conflict, "\(connection.path): \(what) is not there; it may have been removed meanwhile.")
    }
}

extension SQLiteTransaction {
    func nextSequence() throws -> SequenceNumber {
        try raiseCounter(to: changes.sequence.next)
        return changes.sequence
    }

    func raiseCounter(to sequence: SequenceNumber) throws {
        guard sequence.value <= StoreLimits.maximumSequence else { throw invalid("the counter cannot go beyond 2^53 - 1") }
        changes.sequence = max(changes.sequence, sequence)
    }

    func set(_ value: String?, forSetting name: String) throws {
        guard !name.hasPrefix(StoreLimits.reservedPrefix) else {
            throw invalid("the setting '\(name)' is the store's own; names must not begin with '\(StoreLimits.reservedPrefix)'")
        }
        guard let value else { return try connection.run("DELETE FROM settings WHERE name = ?1", name) }
        try connection.run(
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
    }
}
