import Foundation
import Storage

/// Resync in steps: small transactions between those of other writers. The journal resumes at the last position.
extension Database {
    /// Starts a resync of these collections, or resumes the last run if it covers the same collections and was not completed.
    ///
    /// - Parameters:
    ///   - names: the collections; `nil` for all.
    ///   - restarts: Whether an interrupted run starts again from the beginning.
    ///   - asWritten: Whether documents enter their channels at their own sequences, without a feed row for clients.
    /// - Throws: ``GatewayError`` with code `notFound` for a collection that does not exist.
    package func beginResync(
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
    package func resyncRun() async throws -> ResyncRun? {
        try await store.read { try ResyncRun.stored(in: $0) }
    }

    /// Stops a running run; its next step does nothing.
    ///
    /// - Parameter error: the reason; `nil` for a requested stop.
    package func stopResync(because error: (any Error)? = nil) async throws {
        let reason = error.map { "\($0)" }
        try await store.write { transaction in
            guard var run = try ResyncRun.stored(in: transaction), run.state == .running else { return }
            run.state = reason == nil ? .stopped : .error
            run.lastError = reason ?? ""
            try run.store(in: transaction)
        }
    }

    /// Resyncs the next documents.
    ///
    /// - Returns: the current run. It is over when its state is not `running`.
    package func resyncStep(_ run: ResyncRun, limit: Int) async throws -> ResyncRun {
        guard let collection = run.remaining.first else { return try await finishCollection(of: run, nil) }
        let fingerprint = syncFunctions.fingerprint(collection)
        // The results of another function are invalid, so the collection starts again.
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
        let results = try await ResyncEvaluator(database: self).evaluate(cases)
        let database = self
        return try await store.write { transaction in
            let stored = try ResyncRun.stored(in: transaction)
            guard var current = stored, run.isAtSamePlace(as: stored) else { return stored ?? run }
            current.fingerprint = fingerprint
            current.cursor = cursor
            let assignment = ChannelAssignment(database: database, transaction: transaction)
            for (input, result) in zip(cases, results) {
                guard let key = input.record.key else { continue }
                if let document = try transaction.document(key), document.collection == collection {
                    // Changed since the function was evaluated: the next step starts with this document.
                    guard document.collectionSequence == input.record.collectionSequence else { break }
                    current.processed += 1
                    if try assignment.revise(document, by: result, asWritten: current.isAsWritten) { current.changed += 1 }
                }
                current.cursor = key
            }
            try current.store(in: transaction)
            return current
        }
    }

    /// - Parameter fingerprint: the function of the resynced collection; `nil` if no collection is left.
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
