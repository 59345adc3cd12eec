public import Storage

extension Database {
    /// Ends a run where it is: what it has moved stays, and a revert puts it back.
    public func endMoves(_ run: MoveRun) async throws {
        var ended = run
        ended.state = .done
        ended.finished = Timestamp.now
        let final = ended
        let database = self
        try await store.write { transaction in
            try transaction.updateMoveRun(final)
            try database.forgetMisplaced(in: transaction)
        }
    }
}
