import Storage

/// One run of a group of callers' work in one transaction.
///
/// The first run has no savepoints, and does not wait for the results of statements that only write. If anything fails in it but work that has
/// changed nothing, the group is rolled back and run again carefully: each caller's work behind a savepoint, and completed before the next one.
/// So a group runs at most twice, apart from deadlocks.
struct GroupRun {
    /// The consequence of a failure.
    enum Verdict {
        /// All callers get the error.
        case failed(any Error)

        /// The group is run again, carefully.
        case carefully

        /// The group is run again after a deadlock or a serialization failure.
        case again(any Error)

        /// The connection was lost.
        case lost(any Error)
    }

    /// Thrown by a first run that cannot be completed.
    private struct Incomplete: Error {}

    let transaction: PostgreSQLTransaction
    private(set) var resumes: [@Sendable () -> Void] = []

    /// Whether the server may have received the order to commit.
    private(set) var isCommitSent = false

    private var connection: PostgreSQLConnection { transaction.connection }

    /// Begins the transaction. Waits for other writers.
    init(_ connection: PostgreSQLConnection, isCareful: Bool, _ channelKeys: ChannelKeys) throws {
        transaction = try PostgreSQLTransaction(beginningOn: connection, isCareful: isCareful, channelKeys)
    }

    /// Runs a caller's work.
    ///
    /// - Returns: Whether the work is part of the transaction. If not, its caller has received the error.
    /// - Throws: If the transaction cannot go on. No caller has received the error then.
    mutating func add(_ job: Job<PostgreSQLTransaction>) throws -> Bool {
        try transaction.isCareful ? addGuarded(job) : addFast(job)
    }

    private mutating func addFast(_ job: Job<PostgreSQLTransaction>) throws -> Bool {
        let (mark, count) = (transaction.pending, connection.writeCount)
        do {
            let resume = try job.run(transaction)
            guard !transaction.mustRepeat, connection.failure == nil, !connection.isLost else { throw Incomplete() }
            resumes.append(resume)
            return true
        } catch {
            guard !transaction.mustRepeat, connection.failure == nil, !connection.isLost, connection.writeCount == count else {
                throw error
            }
            transaction.pending = mark
            job.fail(error)
            return false
        }
    }

    private mutating func addGuarded(_ job: Job<PostgreSQLTransaction>) throws -> Bool {
        let mark = transaction.pending
        try connection.run("SAVEPOINT job")
        do {
            let resume = try job.run(transaction)
            try connection.receive()
            try connection.run("RELEASE job")
            resumes.append(resume)
            return true
        } catch {
            guard transaction.canContinue else { throw error }
            try connection.rollBack(to: "ROLLBACK TO job", release: "RELEASE job")
            transaction.undo(to: mark)
            job.fail(error)
            return false
        }
    }

    /// Commits the transaction.
    ///
    /// - Returns: Its changes.
    mutating func commit(_ writer: WriterMark, notifying channel: String) throws -> Commit {
        guard transaction.hasChanges else {
            connection.rollBack()
            return transaction.changes.commit
        }
        let commit = try transaction.finish(writer, notifying: channel)
        // The server skips the commit if any statement before it has failed, but it does not know how many rows each has to change.
        if connection.expectations > 0 { try connection.receive() }
        isCommitSent = true
        try connection.run("COMMIT")
        guard try connection.receive()?.command == "COMMIT" else {
            throw StorageError(.inputOutput, "\(connection.address.description): the server undid the transaction instead of its commit.")
        }
        transaction.channelKeys.add(transaction.pending.newChannels)
        return commit
    }

    /// Decides the consequence of an error that this run has thrown. Rolls back where the connection is there.
    func verdict(after error: any Error) -> Verdict {
        if connection.isLost { return .lost(connection.failure?.error ?? error) }
        let failure = connection.failure
        connection.rollBack()
        if let failure {
            if failure.isTransient { return .again(failure.error) }
            if failure.error.isOfStore { return .failed(failure.error) }
        }
        return transaction.isCareful ? .failed(failure?.error ?? error) : .carefully
    }
}
