import Documents
import Foundation
import Logging
import SQLiteStorage
import Scripting
import Storage
import TestSupport
import Testing

@testable import Gateway

/// A database over a store in a folder of its own, which is deleted with it.
final class Fixture: Sendable {
    let database: Database
    let store: any StoreEngine
    private let folder: String

    /// - Parameters:
    ///   - use: The way to open the database: `.added`, as commands do it, leaves a store that was never served.
    ///   - hasReaders: Whether clients may have read feeds before, so that grants count from the time when they are made.
    init(
        use: ConfigurationUse = .applied, hasReaders: Bool = true, _ configure: (inout DatabaseConfiguration) throws -> Void = { _ in }
    ) async throws {
        folder = NSTemporaryDirectory() + "dualgauge-gateway-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try await TestStores.open(folder + "/test.dualgauge")
        if hasReaders { try await store.write { try $0.recordReader() } }
        var configuration = DatabaseConfiguration(name: "db")
        try configure(&configuration)
        database = try await Database(
            configuration: configuration, store: store, scripts: ScriptEngine(workers: 1), logger: Logger(label: "test"), use: use)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    var unified: Keyspace { database.unified }

    /// The store, for tests of SQLite's backups and counts.
    var sqlite: SQLiteStore { get throws { try #require(store as? SQLiteStore) } }

    /// The database over the same store with another configuration, as after a restart.
    func reopened(
        use: ConfigurationUse = .applied, _ configure: (inout DatabaseConfiguration) throws -> Void
    ) async throws -> Database {
        var configuration = database.configuration
        try configure(&configuration)
        return try await Database(
            configuration: configuration, store: store, scripts: ScriptEngine(workers: 1), logger: Logger(label: "test"), use: use)
    }

    func collection(_ name: String) throws -> Keyspace {
        let name = try #require(CollectionName(name))
        return try #require(database.keyspace(name))
    }

    /// Checks the consistency of the store after the gateway's work.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report = try await store.check()
        #expect(report.problems.map(\.description) == [], sourceLocation: sourceLocation)
    }
}

extension DatabaseConfiguration {
    /// Adds collections by their paths.
    mutating func add(_ names: String..., hidden: Bool = false) throws {
        for name in names {
            let name = try #require(CollectionName(name))
            collections.append(CollectionConfiguration(name: name, isHidden: hidden))
        }
    }

    mutating func route(_ condition: RouteCondition, to name: String, strip: Bool = false) throws {
        let name = try #require(CollectionName(name))
        routes.append(Route(to: name, when: condition, stripsPrefix: strip))
    }
}

func revision(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> RevisionID {
    try #require(RevisionID(text), sourceLocation: sourceLocation)
}

/// The code of the gateway's error with which the work fails; `nil` if it succeeds.
func code(_ work: () async throws -> Void) async throws -> GatewayError.Code? {
    do {
        try await work()
        return nil
    } catch let error as GatewayError {
        return error.code
    }
}

/// The gateway's error with which the work fails.
func failure(_ work: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) async throws -> GatewayError {
    var found: GatewayError?
    do { try await work() } catch let error as GatewayError { found = error }
    return try #require(found, "it was not refused", sourceLocation: sourceLocation)
}
