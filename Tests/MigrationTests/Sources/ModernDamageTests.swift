import Foundation
import GRDB
import Gateway
import Migration
import TestSupport
import Testing

@Suite("Damaged databases of Couchbase Lite 2.x and 3.x")
struct ModernDamageTests {
    @Test("With any page damaged, reading continues, reports it, and writes nothing", arguments: 1..<29)
    func pages(page: Int) async throws {
        let scratch = try Scratch()
        let path = try scratch.fixture("cbl-3.2/lite32.cblite2")
        let file = "\(path)/db.sqlite3"
        var bytes = Array(try #require(FileManager.default.contents(atPath: file)))
        let pageSize = 4096
        guard page < bytes.count / pageSize else { return }
        for place in page * pageSize..<(page + 1) * pageSize { bytes[place] = 0xa5 }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let before = try Scratch.digests(path)
        do {
            let items = try await SourceReading.itemsReopening(path, limits: SourceBatchLimits(documents: 10))
            #expect(items.documents.count == 42 || !items.faults.isEmpty, "page \(page): \(items.documents.count)")
        } catch let error as SourceError {
            #expect(error.code == .damaged, "page \(page)")
        }
        #expect(try Scratch.digests(path) == before)
    }

    @Test("Malformed values fail only their document")
    func values() async throws {
        let scratch = try Scratch()
        let path = try scratch.fixture("cbl-3.2/lite32.cblite2")
        let queue = try DatabaseQueue(path: "\(path)/db.sqlite3")
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "UPDATE kv_default SET body = x'ffff' WHERE key = 'order-1'")
            try database.execute(sql: "UPDATE kv_default SET extra = x'0001' WHERE key = 'order-2'")
            try database.execute(sql: "UPDATE kv_default SET extra = NULL WHERE key = 'order-3'")
            try database.execute(sql: "UPDATE kv_default SET version = x'00010203' WHERE key = 'order-5'")
            try database.execute(sql: "UPDATE kv_default SET key = CAST(x'6fff' AS TEXT) WHERE key = 'order-6'")
            try database.execute(sql: "UPDATE kv_default SET key = '_x' WHERE key = 'order-7'")
            try database.execute(sql: "UPDATE kv_default SET body = zeroblob(100000) WHERE key = 'order-8'")
            try database.execute(sql: "UPDATE kv_default SET expiration = 1900000000123 WHERE key = 'order-9'")
        }
        try queue.close()
        let items = try await SourceReading.itemsReopening(path, limits: SourceBatchLimits(documents: 10, bodyBytes: 20_000))
        #expect(items.documents.count == 42 - 7)
        #expect(items.faults.count == 7)
        #expect(Set(items.faults.map(\.id)).isSuperset(of: ["order-1", "order-2", "order-3", "order-5", "_x", "order-8"]))
        #expect(items.document("order-9")?.expiry == 1_900_000_000)
        #expect(items.document("o1")?.collection == CollectionName(scope: "sales", name: "orders"))
    }
}
