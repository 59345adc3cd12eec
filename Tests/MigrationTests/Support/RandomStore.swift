import Documents
import Foundation
import Gateway
import Migration
import SQLiteStorage
import Storage
import TestSupport

/// A store with documents of every kind, from a seed.
enum RandomStore {
    static func make(at path: String, documents: Int, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let items = (0..<documents).map { item($0, &generator) }
        let attachments = (0..<10).map { blob($0) }
        let store = try SQLiteStore(path: path)
        var configuration = DatabaseConfiguration(name: "source")
        configuration.collections = [CollectionConfiguration(name: CollectionName(scope: "own", name: "things"))]
        let database = try await Target.database(configuration, store)
        _ = await SourceMigration(ListSource(items, attachments: attachments), to: database, head: Target.head).run { _ in }
        try await database.close()
    }

    private static func item(_ number: Int, _ generator: inout SeededGenerator) -> SourceItem {
        let type = ["order", "note", "other"].randomElement(using: &generator) ?? ""
        let id = generator.once(in: 4) ? "user::\(number)" : "doc-\(number)"
        let collection = generator.once(in: 6) ? "own.things" : "_default._default"
        let first = RevisionID("1-\(hex(number))")
        var revisions: [SourceRevision] = []
        var history = [first].compactMap { $0 }
        for generation in 2...4 where generator.once(in: 3) && history.count == generation - 1 {
            revisions.append(SourceRevision(history: history, isLeaf: false, body: body(type, generation - 1)))
            if let next = RevisionID("\(generation)-\(hex(number &* 31 &+ generation))") { history.insert(next, at: 0) }
        }
        let isDeleted = generator.once(in: 8)
        let set = generator.once(in: 5) ? attachment(blob(Int.random(in: 0..<10, using: &generator))) : nil
        revisions.append(
            SourceRevision(
                history: history, isDeleted: isDeleted, body: isDeleted ? Array("{}".utf8) : body(type, 9),
                attachments: isDeleted ? nil : set))
        if generator.once(in: 10), let branch = RevisionID("1-ff\(hex(number))") {
            revisions.append(SourceRevision(history: [branch], body: body(type, 0)))
        }
        return .document(SourceDocument(id: id, collection: CollectionName(collection) ?? .default, revisions: revisions))
    }

    private static func body(_ type: String, _ number: Int) -> [UInt8] { Array(#"{"type":"\#(type)","n":\#(number)}"#.utf8) }

    private static func hex(_ number: Int) -> String {
        let text = String(UInt32(truncatingIfNeeded: number &* 2_654_435_761), radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }

    /// Small ones and one that is streamed.
    private static func blob(_ number: Int) -> [UInt8] {
        (0..<(number == 0 ? 300_000 : number * 100)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
    }
}
