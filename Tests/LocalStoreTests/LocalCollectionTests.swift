import Foundation
import LocalStore
import Testing

@Suite("A collection of an app's database", .timeLimit(.minutes(2)))
struct LocalCollectionTests {
    private let folder: TemporaryFolder
    private let database: LocalDatabase
    private let documents: LocalCollection

    init() async throws {
        folder = try TemporaryFolder()
        database = try await LocalDatabase(path: folder.database)
        documents = database.defaultCollection
    }

    @Test("A document is saved, read, changed and deleted, and may come again under its ID")
    func life() async throws {
        #expect(try await documents.document("a") == nil)
        var document = try await documents.save("a", json: Data(#"{"text":"x","n":1.50}"#.utf8))
        #expect(document.revision?.generation == 1)
        #expect(try await documents.document("a") == document)
        #expect(document.json == Array(#"{"text":"x","n":1.50}"#.utf8))
        document["text"] = nil
        document["tags"] = ["new", true, 7, .null]
        document = try await documents.save(document)
        #expect(document.revision?.generation == 2)
        #expect(try await documents.document("a")?.properties == ["n": .number("1.50"), "tags": ["new", true, 7, .null]])
        try await documents.delete(document)
        try await documents.delete(document)
        try await documents.delete("a")
        try await documents.delete("never there")
        #expect(try await documents.document("a") == nil)
        #expect(try await documents.conflictingRevisions(of: "a").isEmpty)
        #expect(try await documents.save(StoredDocument(id: "a", ["n": 2])).revision?.generation == 4)
        try await database.close()
    }

    @Test("A change of a document that has changed meanwhile is refused, or merged by a handler, or the last one wins")
    func conflicts() async throws {
        var old = try await documents.save("a", ["n": 1])
        old["here"] = true
        try await documents.save("a", ["n": 2])
        await #expect { try await documents.save(old) } throws: { $0.storeCode == .conflict }
        await #expect { try await documents.save(StoredDocument(id: "a", [:])) } throws: { $0.storeCode == .conflict }
        await #expect { try await documents.delete(old) } throws: { $0.storeCode == .conflict }
        #expect(try await documents.save(old) { _, _ in nil } == nil)
        #expect(try await documents.document("a")?.properties == ["n": 2])
        let merged = try await documents.save(old) { new, current in
            StoredDocument(id: new.id, new.properties.merging(current?.properties ?? [:]))
        }
        #expect(merged?.properties == ["here": true, "n": 2])
        #expect(try await documents.document("a") == merged)
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) { try await documents.save(old) { _, _ in throw Refusal() } }
        try await documents.delete("a")
        // The handler is told that the document was deleted, and may have it anew.
        let again = try await documents.save(old) { new, current in current == nil ? new : nil }
        #expect(again?.revision?.generation == 5)
        try await database.close()
    }

    @Test("Concurrent writers of one document: all are saved, one after the other")
    func concurrency() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask { [documents] in
                    let new = StoredDocument(id: "sum", ["n": .number(String(number))])
                    try await documents.save(new) { _, current in
                        var sum = try #require(current)
                        sum["n"] = .number(String((sum["n"]?.int ?? 0) + number))
                        return sum
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await documents.document("sum")?["n"]?.int == 120)
        #expect(try await documents.conflictingRevisions(of: "sum").count == 1)
        try await database.close()
    }

    @Test(
        "Documents and IDs that are not allowed",
        arguments: [
            ("a", "[]"), ("a", ""), ("a", "{"), ("a", #"{"_id":"a"}"#), ("a", #"{"_deleted":true}"#), ("a", #"{"_attachments":{}}"#),
            ("a", #"{"_exp":1}"#), ("a", #"{"_x":1}"#), ("", "{}"), ("_a", "{}"), ("a\u{0}", "{}"),
        ])
    func invalid(id: String, json: String) async throws {
        await #expect { try await documents.save(id, json: json.utf8) } throws: { $0.storeCode == .invalidDocument }
        await #expect { try await documents.save("a", .string("x")) } throws: { $0.storeCode == .invalidDocument }
        await #expect { try await documents.save("a", ["n": .number("1,")]) } throws: { $0.storeCode == .invalidDocument }
        #expect(try await documents.documents().isEmpty)
        try await database.close()
    }

    @Test("A document above 20 MiB is too large")
    func size() async throws {
        let text = JSONValue.string(String(repeating: "x", count: 20 << 20))
        await #expect { try await documents.save("a", ["text": text]) } throws: { $0.storeCode == .tooLarge }
        try await database.close()
    }

    @Test("The list goes on after an ID, leaves deleted documents out, and has the order of the bytes")
    func list() async throws {
        for id in ["b", "a", "ä", "c", "B"] { try await documents.save(id, [:]) }
        try await documents.delete("c")
        #expect(try await documents.documents().map(\.id) == ["B", "a", "b", "ä"])
        #expect(try await documents.documents(limit: 2).map(\.id) == ["B", "a"])
        #expect(try await documents.documents(after: "a", limit: 2).map(\.id) == ["b", "ä"])
        #expect(try await documents.documents(after: "aa", limit: 1).map(\.id) == ["b"])
        #expect(try await documents.documents(after: "ä").isEmpty)
        #expect(try await documents.documents(limit: -1).isEmpty)
        try await database.close()
    }

    @Test("Changes come from the call on, and end with the task or the database")
    func changes() async throws {
        try await documents.save("before", [:])
        let changes = try await documents.changes()
        let saved = try await documents.save("a", [:])
        try await documents.delete("before")
        var iterator = changes.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.map(\.id) == ["a", "before"] && first.map(\.isDeleted) == [false, true] && first[0].revision == saved.revision)
        let waiting = Task { [changes] in
            var ids: [String] = []
            for try await batch in changes { ids += batch.map(\.id) }
            return ids
        }
        waiting.cancel()
        _ = try await waiting.value
        let second = Task { [documents] in try await documents.save("b", [:]) }
        #expect(try await iterator.next()?.map(\.id) == ["b"])
        _ = try await second.value
        try await database.close()
        #expect(try await iterator.next() == nil)
    }
}
