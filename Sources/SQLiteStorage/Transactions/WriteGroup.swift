import Storage
import Tracing

/// A transaction and the callers whose work it contains.
///
/// Work that fails before it has changed data needs no rollback. Otherwise the transaction is started again, and the others' work runs again, each
/// behind a savepoint, so that a group runs at most twice. Savepoints in the first run would cost every group a copy of each changed page.
struct WriteGroup {
    private let connection: Connection
    private var transaction: SQLiteTransaction
    private var done: [(job: Job<SQLiteTransaction>, resume: @Sendable () -> Void)] = []

    /// Begins the transaction.
    init(_ connection: Connection) throws {
        self.connection = connection
        try connection.run("BEGIN IMMEDIATE")
        do {
            transaction = try SQLiteTransaction(beginningOn: connection)
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// The number of callers whose work is in the transaction.
    var count: Int { done.count }

    /// The contexts of the callers that are traced.
    var traces: [ServiceContext] { done.compactMap(\.job.trace) }

    /// Runs a caller's work.
    ///
    /// - Returns: Whether the transaction can continue. If not, all its callers have received the error.
    mutating func add(_ job: Job<SQLiteTransaction>) -> Bool {
        let changes = connection.totalChanges
        let mark = transaction.changes
        do {
            let resume = try job.run(transaction)
            done.append((job, resume))
            guard connection.isInTransaction else {
                return abandon(StorageError(.inputOutput, "\(connection.path): the transaction was undone by a failure inside it."))
            }
            return true
        } catch {
            guard connection.isInTransaction, (error as? StorageError)?.isOfStore != true else {
                job.fail(error)
                return abandon(error)
            }
            guard connection.totalChanges != changes else {
                transaction.changes = mark
                job.fail(error)
                return true
            }
            return repeatOthers(leavingOut: job, error)
        }
    }

    /// Commits the transaction.
    ///
    /// - Parameter last: The counter after the last own commit, if any. If it has changed since, another process has written, and the returned
    ///   commit covers everything.
    /// - Returns: The changes, and the closures that resume the callers; `nil` if the commit failed and the callers have received the error.
    mutating func commit(after last: SequenceNumber?) -> (Commit, [@Sendable () -> Void])? {
        do {
            var commit = try transaction.finish()
            if let last, last != transaction.startSequence {
                let all = try transaction.collections().map(\.key)
                commit = Commit(sequence: commit.sequence, touchesUnified: true, collections: Set(all), access: .everyone)
            }
            try connection.run("COMMIT")
            return (commit, done.map(\.resume))
        } catch {
            _ = abandon(error)
            return nil
        }
    }

    /// Rolls back, and passes the error to all callers.
    private mutating func abandon(_ error: any Error) -> Bool {
        connection.rollBack()
        for (job, _) in done { job.fail(error) }
        done = []
        return false
    }

    /// Rolls back, and runs the work of all callers except for `failed` again.
    private mutating func repeatOthers(leavingOut failed: Job<SQLiteTransaction>, _ error: any Error) -> Bool {
        failed.fail(error)
        let jobs = done.map(\.job)
        connection.rollBack()
        done = []
        do {
            self = try WriteGroup(connection)
        } catch {
            for job in jobs { job.fail(error) }
            return false
        }
        for (index, job) in jobs.enumerated() {
            do {
                try addGuarded(job)
            } catch {
                for job in jobs[index...] { job.fail(error) }
                return abandon(error)
            }
        }
        return true
    }

    /// Runs a caller's work behind a savepoint. Throws only if the transaction cannot continue; the caller has not received the error then.
    private mutating func addGuarded(_ job: Job<SQLiteTransaction>) throws {
        let mark = transaction.changes
        try connection.run("SAVEPOINT job")
        do {
            let resume = try job.run(transaction)
            try connection.run("RELEASE job")
            done.append((job, resume))
        } catch {
            guard connection.isInTransaction, (error as? StorageError)?.isOfStore != true else { throw error }
            try connection.run("ROLLBACK TO job")
            try connection.run("RELEASE job")
            transaction.changes = mark
            job.fail(error)
        }
    }
}
