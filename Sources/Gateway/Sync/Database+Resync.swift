import Foundation
import Logging
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
        let covered = records.map { CollectionName(scope: $0.scope, name: $0.name) }
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
            var cases: [StandingCase] = []
            try snapshot.documents(in: collection, after: cursor, limit: limit) { record in
                cases.append(try StandingCase(record, in: collection, id: record.id, from: snapshot))
                return true
            }
            return cases
        }
        guard !cases.isEmpty else { return try await finishCollection(of: run, fingerprint) }
        let verdicts = try await StandingJudge(database: self).judge(cases)
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
                try SyncRecord(functions: functions, transaction: transaction).set(fingerprint, collection)
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

    /// Checks that the functions that the configuration says compile.
    func checkSyncFunctions() async throws {
        let trial = CollectionTable(
            configuration.collections.enumerated().map { index, collection in
                CollectionRecord(
                    key: CollectionKey(Int64(index)), scope: collection.name.scope, name: collection.name.name, isHidden: false,
                    syncFunction: collection.syncFunction ?? "")
            })
        try await SyncFunctionTable(trial, owner: name).compile(trial.records, with: scripts)
    }

    /// Has the functions judge the documents of a store that nobody was served from yet, where others have judged them.
    ///
    /// Commands write by the functions that they are told, and often they are told none. Without this the first clients would see what the
    /// default function says. Nobody has seen anything, so documents are where they would be, had these functions judged them at once.
    func judgeUnserved() async throws {
        let functions = syncFunctions
        let records = collections.records
        let others = try await store.write { transaction in
            guard try !ServedRules.isServed(transaction) else { return [CollectionName]() }
            let sync = SyncRecord(functions: functions, transaction: transaction)
            return try records.filter { try !sync.note($0.key) }.map(\.collectionName)
        }
        guard !others.isEmpty else { return }
        logger.notice(
            "nobody was served from this store yet: the sync functions judge its documents first",
            metadata: ["collections": "\(others.map(\.description).joined(separator: ", "))"])
        var run = try await beginResync(others, asWritten: true)
        while run.state == .running { run = try await resyncStep(run, limit: Self.firstJudgement) }
        logger.notice(
            "the sync functions have judged the store's documents",
            metadata: ["documents": "\(run.processed)", "changed": "\(run.changed)"])
    }

    /// Documents that are judged in one transaction before anybody is served.
    private static let firstJudgement = 1_000

    /// Compares the functions with those by which the documents were judged, and says what to do where they differ.
    func compareSyncFunctions() async throws {
        for record in try await noteSyncFunctions() {
            logger.warning(
                """
                the sync function of \(record.scope).\(record.name) was changed: documents stay in the channels that the old one said, \
                until each is written again. To have all judged anew, on the admin port: POST /\(name)/_offline, POST /\(name)/_resync, \
                POST /\(name)/_online
                """)
        }
    }

    /// Notes by which functions documents are going to be judged.
    ///
    /// - Returns: the collections that have documents which others have judged.
    @discardableResult
    func noteSyncFunctions() async throws -> [CollectionRecord] {
        let functions = syncFunctions
        let records = collections.records
        return try await store.write { transaction in
            try records.filter { try !SyncRecord(functions: functions, transaction: transaction).note($0.key) }
        }
    }
}
