import Foundation
import Storage

/// Finds out whether a group was committed whose acknowledgement was lost with the connection.
struct LostCommit {
    private let mark: WriterMark
    private let end: ContinuousClock.Instant

    private static let longestPause: UInt32 = 500_000

    /// - Parameters:
    ///   - mark: The group's entry in the table `writers`.
    ///   - limit: The time for the search, in which a standby may become the primary.
    init(_ mark: WriterMark, limit: Duration) {
        self.mark = mark
        end = .now + limit
    }

    /// Asks the server until it answers. Blocks.
    ///
    /// The lost connection's transaction may still be committing. It holds the lock of the row in `store`, so the mark is read behind that lock.
    ///
    /// - Throws: ``StorageError`` `inputOutput` if the server gives no answer in time: the outcome is unknown then.
    func wasMade(_ session: PostgreSQLSession) throws -> Bool {
        var pause: UInt32 = 10_000
        while true {
            do {
                return try hasMark(try session.reconnected())
            } catch {
                guard ContinuousClock.now < end else { throw unknown(error) }
                usleep(pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    private func hasMark(_ connection: PostgreSQLConnection) throws -> Bool {
        try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            _ = try StoreState.lock(connection)
            let group = try connection.first("SELECT group_number FROM writers WHERE writer = $1", mark.writer) { $0.integer(0) }
            guard group == mark.group else {
                connection.rollBack()
                return false
            }
            // The commit may be at this server alone, if the connection ended while it waited for a standby. A later commit waits for both.
            try connection.run("UPDATE writers SET group_number = group_number WHERE writer = $1", mark.writer)
            try connection.run("COMMIT")
            guard try connection.receive()?.command == "COMMIT" else {
                throw StorageError(lost: "a commit was undone", at: connection.address)
            }
            return true
        } catch {
            connection.rollBack()
            throw error
        }
    }

    private func unknown(_ error: any Error) -> StorageError {
        StorageError(
            .inputOutput, "The connection was lost during a commit, and the server cannot be asked whether it was made. Try again.",
            cause: error)
    }
}
