import Storage

/// One transaction, and the callers whose work it holds.
///
/// Work that fails before it has changed anything needs no undoing. Otherwise the transaction is begun anew and the others' work
/// is done again, this time each behind a savepoint, so that a group is never done more than twice. Savepoints from the start would
/// cost every group a copy of each page that it changes.
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

    /// How many callers' work is in the transaction.
    var count: Int { done.count }

    /// Does a caller's work.
    ///
    /// - Returns: Whether the transaction can go on. If not, everyone in it has been told.
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

    /// Makes the work durable.
    ///
    /// - Parameter last: The counter after our last commit, if there was one: if it has changed since, another process has
    ///   written, and the commit that is answered covers what it may have touched.
    /// - Returns: What was changed, and how to let the callers go on; nil if the commit failed and they have been told.
    mutating func commit(noticing last: SequenceNumber?) -> (Commit, [@Sendable () -> Void])? {
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

    /// Undoes everything and tells everyone.
    private mutating func abandon(_ error: any Error) -> Bool {
        connection.rollBack()
        for (job, _) in done { job.fail(error) }
        done = []
        return false
    }

    /// Does everyone's work again but that of `failed`, whose changes are undone.
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

    /// Does a caller's work behind a savepoint. Throws only if the transaction cannot go on; the caller has not been told then.
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
