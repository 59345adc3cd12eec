import Foundation
import SQLiteStorage
import Storage

/// Runs a test with a store of its own.
func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "dualgauge-authentication-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try SQLiteStore(path: path + "/test.dualgauge")
    try await body(store)
    try await store.close()
}
