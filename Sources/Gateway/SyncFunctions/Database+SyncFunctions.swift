import Logging
import Storage

/// The functions of the configuration against those by which the documents were judged.
extension Database {
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
    func resyncUnserved() async throws {
        let functions = syncFunctions
        let records = collections.records
        let others = try await store.write { transaction in
            guard try !ServedConfiguration.isServed(transaction) else { return [CollectionName]() }
            let sync = SyncFunctionRecord(functions: functions, transaction: transaction)
            return try records.filter { try !sync.note($0.key) }.map(\.collectionName)
        }
        guard !others.isEmpty else { return }
        logger.notice(
            "nobody was served from this store yet: the sync functions judge its documents first",
            metadata: ["collections": "\(others.map(\.description).joined(separator: ", "))"])
        var run = try await beginResync(others, asWritten: true)
        while run.state == .running { run = try await resyncStep(run, limit: Self.initialResyncBatch) }
        logger.notice(
            "the sync functions have judged the store's documents",
            metadata: ["documents": "\(run.processed)", "changed": "\(run.changed)"])
    }

    /// Documents that are judged in one transaction before anybody is served.
    private static let initialResyncBatch = 1_000

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
            try records.filter { try !SyncFunctionRecord(functions: functions, transaction: transaction).note($0.key) }
        }
    }
}

/// The store's word on which function the documents of a collection were judged by.
struct SyncFunctionRecord {
    /// More than one, or one that is not known.
    private static let mixed = "mixed"

    let functions: SyncFunctionTable
    let transaction: any StoreTransaction

    /// Notes that documents of the collection are going to be judged by the function that it has now.
    ///
    /// - Returns: Whether all documents in it are judged by that function.
    func note(_ collection: CollectionKey) throws -> Bool {
        let known = try transaction.setting(setting(collection))
        let current = functions.fingerprint(collection)
        // Stores know of functions since there are functions.
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

    /// Notes that all documents of the collection have been judged by a function.
    func set(_ fingerprint: String, _ collection: CollectionKey) throws {
        try transaction.set(fingerprint, forSetting: setting(collection))
    }

    private func setting(_ collection: CollectionKey) -> String { "sync.\(collection.value)" }
}
