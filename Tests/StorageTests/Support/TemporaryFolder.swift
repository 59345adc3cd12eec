import Foundation
import GRDB

@testable import SQLiteStorage
@testable import Storage

/// A folder for one test, removed afterwards.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "dualgauge-storage-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    var store: String { path + "/test.dualgauge" }

    func open(_ change: (inout SQLiteStore.Options) -> Void = { _ in }) throws -> SQLiteStore {
        var options = SQLiteStore.Options()
        change(&options)
        return try SQLiteStore(path: store, options: options)
    }

    /// Changes or reads the store's database beside the store. Creates both if they are missing.
    @discardableResult
    func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        let database = try DatabaseQueue(path: SQLiteStore.file(in: store))
        let value = try database.writeWithoutTransaction(body)
        try database.close()
        return value
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Runs a test of SQLite alone with a store of its own.
func withStore(
    _ change: (inout SQLiteStore.Options) -> Void = { _ in }, _ body: (SQLiteStore) async throws -> Void
) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open(change)
    try await body(store)
    try await store.close()
}
