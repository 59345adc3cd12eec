import Foundation
import LocalStore
import Testing

@Suite("A database of an app", .timeLimit(.minutes(2)))
struct LocalDatabaseTests {
    @Test("A database is created, closed and opened again, with its collections and documents")
    func reopen() async throws {
        let folder = try TemporaryFolder()
        var database = try await LocalDatabase(path: folder.database, collections: ["sales.orders", "notes"])
        #expect(database.collectionNames.map(\.description) == ["_default._default", "_default.notes", "sales.orders"])
        let saved = try await database.collection("sales.orders").save("a", ["n": 1])
        try await database.close()
        // A collection that is no longer named stays.
        database = try await LocalDatabase(path: folder.database)
        #expect(database.path == folder.database)
        #expect(try await database.collection("sales.orders").document("a") == saved)
        #expect(try await database.compact() == 0)
        try await database.close()
    }

    @Test("Names that no collection may have, and names of no collection")
    func names() async throws {
        let folder = try TemporaryFolder()
        await #expect { _ = try await LocalDatabase(path: folder.database, collections: ["a.b.c"]) } throws: {
            $0.storeCode == .invalidName
        }
        let database = try await LocalDatabase(path: folder.database)
        for (name, code) in [("_x", LocalStoreError.Code.invalidName), ("", .invalidName), ("sales.orders", .notFound)] {
            #expect { _ = try database.collection(name) } throws: { $0.storeCode == code }
        }
        #expect(try database.collection("_default").name == .default)
        try await database.close()
    }

    @Test("A file in place of the folder, and a database that is closed")
    func unavailable() async throws {
        let folder = try TemporaryFolder()
        try Data("text".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        await #expect { _ = try await LocalDatabase(path: "\(folder.path)/file") } throws: { $0.storeCode == .unavailable }
        let database = try await LocalDatabase(path: folder.database)
        let documents = database.defaultCollection
        try await database.close()
        await #expect { _ = try await documents.document("a") } throws: { $0.storeCode == .unavailable }
        await #expect { try await documents.save("a", [:]) } throws: { $0.storeCode == .unavailable }
    }

    @Test("All collections are one flat set; a new document of it is one of the default collection")
    func unified() async throws {
        let folder = try TemporaryFolder()
        let database = try await LocalDatabase(path: folder.database, collections: ["sales.orders"])
        let orders = try database.collection("sales.orders")
        try await orders.save("order", ["n": 1])
        var order = try #require(try await database.unified.document("order"))
        order["n"] = 2
        try await database.unified.save(order)
        #expect(try await orders.document("order")?["n"]?.int == 2)
        try await database.unified.save("note", ["n": 3])
        #expect(try await database.defaultCollection.documents().map(\.id) == ["note"])
        #expect(try await database.unified.documents().map(\.id) == ["note", "order"])
        #expect(database.unified.name == .default)
        try await database.close()
    }
}

extension Error {
    /// The code of an error of this module.
    var storeCode: LocalStoreError.Code? { (self as? LocalStoreError)?.code }
}
