package import Gateway
public import Logging
import SQLiteStorage
import Scripting
import Storage

/// A database on this device: a folder with the documents of an app, in collections.
///
/// ```swift
/// let database = try await LocalDatabase(path: "shop.dualgauge", collections: ["sales.orders"])
/// let orders = try database.collection("sales.orders")
/// try await orders.save("order::1", ["customer": "Anna", "total": 12.5])
/// ```
///
/// Several processes may have one database open. Each sees the changes of the others within about 300 ms.
public final class LocalDatabase: Sendable {
    package let database: Database

    /// The folder, as given.
    public let path: String

    /// Opens the database in a folder, and creates the folder and missing collections.
    ///
    /// A database that an earlier version has written is brought up to date. Then the earlier version can no longer open it.
    ///
    /// - Parameters:
    ///   - path: The folder, by convention `NAME.dualgauge`. A relative path begins at the working directory.
    ///   - collections: The names of the collections that the app uses, each `scope.name`, or `name` for one of the scope `_default`. The
    ///     default collection always exists. A collection that is no longer named keeps its documents.
    ///   - logger: Receives warnings.
    /// - Throws: ``LocalStoreError`` with code `invalidName` for a name that no collection may have; with code `unavailable` if the folder is
    ///   not a database, was written by a later version, is damaged, or cannot be created or written.
    public init(path: String, collections: [String] = [], logger: Logger = Logger(label: "dualgauge.store")) async throws {
        self.path = path
        database = try await LocalStoreError.translating {
            var configuration = DatabaseConfiguration(name: "local")
            configuration.collections = try collections.map { CollectionConfiguration(name: try CollectionName(named: $0)) }
            let store = try SQLiteStore(path: path)
            do {
                return try await Database(
                    configuration: configuration, store: store, scripts: ScriptEngine(), logger: logger, use: .added)
            } catch {
                try await store.close()
                throw error
            }
        }
    }

    /// A facade for a database that is open already.
    package init(_ database: Database, path: String) {
        self.database = database
        self.path = path
    }

    /// The default collection, `_default._default`.
    public var defaultCollection: LocalCollection {
        LocalCollection(database.keyspace(.default) ?? database.unified)
    }

    /// The documents of all collections under one flat set of IDs: the database as apps without collections know it.
    ///
    /// A new document becomes one of the default collection. If documents of two collections have the same ID, the later one is listed as
    /// `scope.name::ID`.
    public var unified: LocalCollection {
        LocalCollection(database.unified)
    }

    /// A collection by its name, `scope.name` or `name`.
    ///
    /// - Throws: ``LocalStoreError`` with code `invalidName` for a name that no collection may have; with code `notFound` if the database does
    ///   not have the collection: name it when the database is opened.
    public func collection(_ name: String) throws -> LocalCollection {
        let name = try CollectionName(named: name)
        guard let keyspace = database.keyspace(name) else {
            throw LocalStoreError(.notFound, "\(path) has no collection \(name); name it when the database is opened")
        }
        return LocalCollection(keyspace)
    }

    /// The names of the collections, the default collection included, in alphabetical order.
    public var collectionNames: [CollectionName] {
        database.collectionRecords.map(\.collectionName).sorted()
    }

    /// Frees the space of attachments that no document refers to any more. An attachment stays for an hour, because a replication may still
    /// bring its document.
    ///
    /// - Returns: The number of deleted attachments.
    /// - Throws: ``LocalStoreError`` with code `unavailable`; `CancellationError`.
    @discardableResult
    public func compact() async throws -> Int {
        try await LocalStoreError.translating { try await database.collectAttachments() }
    }

    /// Closes the database once its running reads and writes are done. Stop the replicators first. Sequences of changes end.
    ///
    /// - Throws: ``LocalStoreError`` with code `unavailable` if a file cannot be closed.
    public func close() async throws {
        try await LocalStoreError.translating { try await database.close() }
    }
}

extension CollectionName {
    /// - Throws: ``LocalStoreError`` with code `invalidName`.
    fileprivate init(named text: String) throws {
        guard let name = CollectionName(text) else {
            throw LocalStoreError(
                .invalidName,
                """
                \(text) cannot be the name of a collection: it has the form scope.name, each part of 1 to 251 letters, digits, _, - or %, and \
                begins with a letter, a digit or -
                """)
        }
        self = name
    }
}
