import Foundation
import Storage

/// Resync in steps: each is a small transaction between those of other writers, and the journal goes on where it stopped.
extension Database {
    /// Begins a run that judges the documents of these collections anew, or goes on with the last one, if it covers the same and was not
    /// completed.
    ///
    /// - Parameters:
    ///   - names: the collections; `nil` for all.
    ///   - restarts: Whether a run that was not completed begins from the start.
    ///   - asWritten: Whether documents come into their channels where they were written, and nobody is told of it.
    /// - Throws: ``GatewayError`` with code `notFound` for a collection that the configuration does not name.
    public func beginResync(
        _ names: [CollectionName]? = nil, restarts: Bool = false, asWritten: Bool = false
    ) async throws -> ResyncRun {
        let records = try names.map { try $0.map(record) } ?? collections.records
        let covered = records.map { $0.collectionName }
        return try await store.write { transaction in
            if var open = try ResyncRun.stored(in: transaction), open.state != .completed, !restarts, open.collections == covered,
                open.isAsWritten == asWritten
            {
                open.state = .running
                open.started = Timestamp.now
                open.lastError = ""
                try open.store(in: transaction)
                return open
            }
            let run = ResyncRun(
                id: UUID().uuidString.lowercased(), started: Timestamp.now, collections: covered,
                remaining: records.map(\.key), isAsWritten: asWritten)
            try run.store(in: transaction)
            return run
        }
    }

    /// The last run; `nil` if there was none.
    public func resyncRun() async throws -> ResyncRun? {
        try await store.read { try ResyncRun.stored(in: $0) }
    }

    /// Stops the run, if one is running; its next step does nothing.
    ///
    /// - Parameter error: why, if it is not because somebody wants it.
    public func stopResync(because error: (any Error)? = nil) async throws {
        let reason = error.map { "\($0)" }
        try await store.write { transaction in
            guard var run = try ResyncRun.stored(in: transaction), run.state == .running else { return }
            run.state = reason == nil ? .stopped : .error
            run.lastError = reason ?? ""
            try run.store(in: transaction)
        }
    }

    /// Has the next documents judged.
    ///
    /// - Returns: the run as it is now. It is over when it is not running any more.
    public func resyncStep(_ run: ResyncRun, limit: Int) async throws -> ResyncRun {
        guard let collection = run.remaining.first else { return try await finishCollection(of: run, nil) }
        let fingerprint = syncFunctions.fingerprint(collection)
        // What another function said of the first ones does not hold.
        let cursor = run.fingerprint == fingerprint ? run.cursor : DocumentKey(0)
        let cases = try await store.read { snapshot in
            var cases: [ResyncInput] = []
            try snapshot.documents(in: collection, after: cursor, limit: limit) { record in
                cases.append(try ResyncInput(record, in: collection, id: record.id, from: snapshot))
                return true
            }
            return cases
        }
        guard !cases.isEmpty else { return try await finishCollection(of: run, fingerprint) }
        let verdicts = try await ResyncEvaluator(database: self).judge(cases)
        let database = self
        return try await store.write { transaction in
            let stored = try ResyncRun.stored(in: transaction)
            guard var current = stored, run.isAtSamePlace(as: stored) else { return stored ?? run }
            current.fingerprint = fingerprint
            current.cursor = cursor
            let assignment = ChannelAssignment(database: database, transaction: transaction)
            for (standing, verdict) in zip(cases, verdicts) {
                guard let key = standing.record.key else { continue }
                if let document = try transaction.document(key), document.collection == collection {
                    // Changed since the function was asked: the next step begins with it.
                    guard document.collectionSequence == standing.record.collectionSequence else { break }
                    current.processed += 1
                    if try assignment.revise(document, by: verdict, asWritten: current.isAsWritten) { current.changed += 1 }
                }
                current.cursor = key
            }
            try current.store(in: transaction)
            return current
        }
    }

    /// - Parameter fingerprint: of the function by which the collection has been judged; `nil` if none is left.
    private func finishCollection(of run: ResyncRun, _ fingerprint: String?) async throws -> ResyncRun {
        let functions = syncFunctions
        return try await store.write { transaction in
            let stored = try ResyncRun.stored(in: transaction)
            guard var current = stored, run.isAtSamePlace(as: stored) else { return stored ?? run }
            if let fingerprint, let collection = current.remaining.first {
                try SyncFunctionRecord(functions: functions, transaction: transaction).set(fingerprint, collection)
                current.remaining.removeFirst()
            }
            current.cursor = DocumentKey(0)
            current.fingerprint = ""
            if current.remaining.isEmpty { current.state = .completed }
            try current.store(in: transaction)
            return current
        }
    }

    private func record(_ name: CollectionName) throws -> CollectionRecord {
        guard let record = collections[name] else { throw GatewayError(.notFound, "The database \(self.name) has no collection \(name)") }
        return record
    }
}
