import Foundation
import Storage
import Stores
import TestSupport
import Testing

@Suite("Opening the store of a place")
struct StoreOpeningTests {
    /// The places of two new stores in one PostgreSQL database of their own.
    private func withDatabase(_ body: (_ url: String) async throws -> Void) async throws {
        let name = "stores_" + UUID().uuidString.prefix(8).lowercased()
        try await TestPostgreSQL.withDatabase(name) { try await body($0) }
    }

    @Test("Both engines create, inspect, check and remove a store")
    func life() async throws {
        let folder = NSTemporaryDirectory() + "dualgauge-stores-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for location in [StoreLocation.folder(folder + "/a.dualgauge"), try TestStores.postgreSQL(folder)] {
            #expect(try await !location.exists())
            #expect(try await location.inspect() == nil)
            await #expect(throws: StorageError(.notFound, "")) { try await location.open(StoreOptions(createsIfMissing: false)) }
            let store = try await location.open()
            try await store.write { _ = try $0.putCollection(scope: "sales", name: "orders", isHidden: false, syncFunction: nil) }
            #expect(try await store.check().isSound)
            #expect(store.isShared == location.isShared)
            try await store.close()
            #expect(try await location.exists())
            #expect(try await location.inspect()?.collections.map(\.name) == ["_default", "orders"])
            try await location.remove()
            #expect(try await !location.exists())
        }
    }

    @Test("Without a schema, the only store is found, and several are listed")
    func foundSchema() async throws {
        try await withDatabase { url in
            let location = try StoreLocation(url)
            let none = try await #require(throws: StorageError.self) { try await location.open() }
            #expect(none.message.contains("has no store"))
            try await location.named("north").open().close()
            try await location.open().close()
            try await location.named("south").open().close()
            let several = try await #require(throws: StorageError.self) { try await location.open() }
            #expect(several.code == .invalidArgument)
            #expect(several.message.contains("north, south"))
            let home = try StoreHome(url)
            #expect(try await home.names() == ["north", "south"])
            #expect(home.store(named: "north") == location.named("north"))
        }
    }
}
