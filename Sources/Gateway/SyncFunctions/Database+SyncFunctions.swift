import Logging
import Storage

/// Compares the configured functions with those that the documents were last evaluated with.
extension Database {
    /// Checks that the configured functions compile.
    func checkSyncFunctions() async throws {
        let trial = CollectionTable(
            configuration.collections.enumerated().map { index, collection in
                CollectionRecord(
                    key: CollectionKey(Int64(index)), scope: collection.name.scope, name: collection.name.name, isHidden: false,
                    syncFunction: collection.syncFunction ?? "")
            })
        try await SyncFunctionTable(trial, owner: name).compile(trial.records, with: scripts)
    }

    /// Resyncs the documents of a store that was never served, if they were evaluated with other functions.
    ///
    /// Commands write with the functions of their own configuration, which often has none. Without this, the first clients would receive documents
    /// in the channels of the default function. As no client has read anything yet, documents enter their channels at their own sequences.
    func resyncUnserved() async throws {
        let functions = syncFunctions
        let records = collections.records
        let others = try await store.write { transaction in
            guard try !ServedConfiguration.isServed(transaction) else { return [CollectionName]() }
            let sync = SyncFunctionRecord(functions: functions, transaction: transaction)
            return try records.filter { try !sync.record($0.key) }.map(\.collectionName)
        }
        guard !others.isEmpty else { return }
        logger.notice(
            "this store was not served before: the sync functions run on its documents first",
            metadata: ["collections": "\(others.map(\.description).joined(separator: ", "))"])
        var run = try await beginResync(others, asWritten: true)
        while run.state == .running { run = try await resyncStep(run, limit: Self.initialResyncBatch) }
        logger.notice(
            "the sync functions have run on the store's documents",
            metadata: ["documents": "\(run.processed)", "changed": "\(run.changed)"])
    }

    /// Documents per transaction before the store is served.
    private static let initialResyncBatch = 1_000

    /// Compares the functions with those that the documents were evaluated with, and logs how to resync where they differ.
    func compareSyncFunctions() async throws {
        for record in try await recordSyncFunctions() {
            logger.warning(
                """
                the sync function of \(record.scope).\(record.name) was changed: each document stays in the channels of the old function \
                until it is written again. To run the new function on all documents, send on the admin port: POST /\(name)/_offline, \
                POST /\(name)/_resync, POST /\(name)/_online
                """)
        }
    }

    /// Records the functions for future writes.
    ///
    /// - Returns: the collections with documents that were evaluated with another function.
    @discardableResult
    func recordSyncFunctions() async throws -> [CollectionRecord] {
        let functions = syncFunctions
        let records = collections.records
        return try await store.write { transaction in
            try records.filter { try !SyncFunctionRecord(functions: functions, transaction: transaction).record($0.key) }
        }
    }
}

/// The store's record of the function with which a collection's documents were evaluated.
struct SyncFunctionRecord {
    /// Several functions, or an unknown one.
    private static let mixed = "mixed"

    let functions: SyncFunctionTable
    let transaction: any StoreTransaction

    /// Records that the collection's current function evaluates its documents from now on.
    ///
    /// - Returns: Whether all of its documents were evaluated with that function.
    func record(_ collection: CollectionKey) throws -> Bool {
        let known = try transaction.setting(setting(collection))
        let current = functions.fingerprint(collection)
        // A store without a record has only documents that were evaluated with the default function.
        if known ?? SyncFunctionTable.defaultFingerprint == current {
            if known == nil { try set(current, collection) }
            return true
        }
        let counts = try transaction.counts(.collection(collection))
        guard counts.live + counts.tombstones > 0 else {
            try set(current, collection)
            return true
        }
        if known != Self.mixed { try set(Self.mixed, collection) }
        return false
    }

    /// Records that all documents of the collection were evaluated with a function.
    func set(_ fingerprint: String, _ collection: CollectionKey) throws {
        try transaction.set(fingerprint, forSetting: setting(collection))
    }

    private func setting(_ collection: CollectionKey) -> String { "sync.\(collection.value)" }
}
