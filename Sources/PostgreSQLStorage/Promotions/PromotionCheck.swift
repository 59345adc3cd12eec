import Coordination
import Storage

/// Notices that a standby was promoted, or that PostgreSQL's archive was restored, since the last connection that writes.
///
/// The server may lack the last commits, which bridges and clients have seen. New commits must not get the same numbers: clients would pass the
/// sequences of new changes and never receive them, and values in memory would hold for other rows. So all numbers are raised, as after a restore
/// from a backup (``StoreFence``), unless the last commit has waited for a standby and no bridge has seen a later one.
final class PromotionCheck: Sendable {
    /// Reads the number of a server's timeline.
    private let timeline: @Sendable (PostgreSQLConnection) throws -> Int64?

    private struct State {
        /// The timeline of the last connection of this process that writes.
        var last: Int64?

        /// Another timeline that a connection has met since, and the number of the last commit that this process had seen before.
        var next: (timeline: Int64, known: Int64)?
    }

    private let state = Lock(State())

    init(timeline: @escaping @Sendable (PostgreSQLConnection) throws -> Int64? = { try $0.timeline() }) {
        self.timeline = timeline
    }

    /// The row of the table `store`, without what transactions read of it.
    private struct Record {
        let timeline: Int64?
        let promotedCommit: Int64
        let promotedCounter: Int64
        let isSynchronous: Bool

        static func read(_ connection: PostgreSQLConnection) throws -> Record? {
            try connection.first("SELECT timeline, promoted_commit, promoted_counter, is_synchronous FROM store WHERE key = 1") { row in
                Record(
                    timeline: row.optionalInteger(0), promotedCommit: row.integer(1), promotedCounter: row.integer(2),
                    isSynchronous: row.bool(3))
            }
        }
    }

    /// Compares a new connection's server with the store. Waits for other writers if it is another one.
    ///
    /// - Parameter known: The number of the last commit that this process has seen.
    func run(on connection: PostgreSQLConnection, known: Int64) throws {
        guard let timeline = try timeline(connection) else { return }
        let knownBefore = meet(timeline, known)
        if try Record.read(connection)?.timeline != timeline || knownBefore != nil {
            try adopt(timeline, on: connection, known: knownBefore ?? known)
        }
        state.withLock { $0 = State(last: timeline) }
    }

    /// - Returns: The number of the last commit that this process had seen before it met this timeline; `nil` if it has written on this timeline
    ///   alone. What it reads on the new timeline is not lost.
    private func meet(_ timeline: Int64, _ known: Int64) -> Int64? {
        state.withLock { state in
            guard let last = state.last, last != timeline else { return nil }
            if state.next?.timeline != timeline { state.next = (timeline, known) }
            return state.next?.known
        }
    }

    /// - Parameter known: The number of the last commit that this process has seen on another timeline; 0 if it has seen none.
    private func adopt(_ timeline: Int64, on connection: PostgreSQLConnection, known: Int64) throws {
        try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            let state = try StoreState.lock(connection)
            guard let record = try Record.read(connection) else { return connection.rollBack() }
            if record.timeline == timeline {
                // Another bridge was here before. Its commits may have the numbers of lost ones that this bridge has seen.
                if known > record.promotedCommit { try raise(from: record.promotedCounter, state, on: connection) }
            } else {
                try connection.run(
                    "UPDATE store SET timeline = $1, promoted_commit = commit_number, promoted_counter = counter WHERE key = 1", timeline)
                let isCertain = record.timeline == nil || record.isSynchronous && known <= state.commitNumber
                if !isCertain { try raise(from: state.counter.value, state, on: connection) }
            }
            try connection.run("COMMIT")
            try connection.receive()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Raises all numbers beyond those of lost commits.
    ///
    /// - Parameter lower: The last sequence that is certainly the same for everyone.
    private func raise(from lower: Int64, _ state: StoreState, on connection: PostgreSQLConnection) throws {
        let fence = StoreFence(after: state.counter.value)
        try connection.insertFence(from: SequenceNumber(lower), to: SequenceNumber(fence.upper), at: fence.raised)
        // More than any server can have lost.
        try connection.run(
            """
            UPDATE store SET counter = $1, promoted_counter = $1, commit_number = commit_number + $2, promoted_commit = commit_number + $2,
                collections = collections + $2, access = access + $2, access_everyone = access + $2,
                document_key = document_key + $2, channel_key = channel_key + $2, has_readers = true
            WHERE key = 1
            """, fence.upper, Int64(1) << 32)
    }

    /// Refuses a new connection to a store whose numbers have not been compared with its server's timeline, before anything is read on it.
    ///
    /// - Parameter known: The number of the last commit that this process has seen.
    func requireCompared(_ connection: PostgreSQLConnection, known: Int64) throws {
        guard let timeline = try timeline(connection) else { return }
        _ = meet(timeline, known)
        guard let record = try Record.read(connection), record.timeline != timeline else { return }
        throw StorageError(
            .busy, "\(connection.address.description): a standby was promoted, and the next write looks for lost commits. Try again.")
    }
}

extension PostgreSQLConnection {
    /// The number of the server's timeline; `nil` on a standby, and at a server that does not tell it, such as one whose servers share one storage.
    fileprivate func timeline() throws -> Int64? {
        do {
            return try first(
                """
                SELECT CASE WHEN pg_is_in_recovery() THEN NULL
                    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
                """
            ) { $0.optionalInteger(0) } ?? nil
        } catch let error as StorageError where !error.isOfStore || error.code == .readOnly {
            try recover()
            return nil
        }
    }
}
