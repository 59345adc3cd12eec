import Access
import Documents
import Migration
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Channels of moved documents")
struct MovedChannelsTests {
    private let orders = CollectionName(scope: "s", name: "orders")

    /// Documents of the default collection with the function `old`, and the database with a route to `s.orders` with the function `new`.
    private func moved(
        _ bodies: [String: String], old: String? = nil, new: String?
    ) async throws -> (Fixture, InPlaceMigration, Database) {
        let fixture = try await Fixture {
            $0.collections = [CollectionConfiguration(name: .default, syncFunction: old)]
        }
        for (id, body) in bodies.sorted(by: { $0.key < $1.key }) { try await fixture.unified.edit(id, body: body) }
        let database = try await fixture.reopened {
            $0.collections.append(CollectionConfiguration(name: orders, syncFunction: new))
            try $0.route(.idPrefix("o"), to: "s.orders")
        }
        return (fixture, InPlaceMigration(database, allowsNewGrants: true), database)
    }

    private func channels(_ id: String, _ database: Database, _ fixture: Fixture) async throws -> Set<String> {
        let record = try await database.unified.record(id)
        return try await fixture.store.read { try $0.channels(of: record.winner, in: record) }
    }

    @Test("A move assigns channels and grants by the new collection's function, and a revert by the old one's")
    func moveAndRevert() async throws {
        let (fixture, migration, database) = try await moved(
            ["o1": #"{"owner":"anna","team":"red"}"#],
            old: "function (doc) { channel(doc.owner); }", new: "function (doc) { channel(doc.team); access('anna', doc.team); }")
        try await fixture.user("anna")
        #expect(try await migration.run { _ in }.refused.documents == 0)
        #expect(try await channels("o1", database, fixture) == ["red"])
        let keyspace = try #require(database.keyspace(orders))
        #expect(try await keyspace.seen(by: "anna").read().rows.count == 1)
        #expect(try await migration.revert { _ in }?.documents == 1)
        #expect(try await channels("o1", database, fixture) == ["anna"])
        let key = try #require(try await database.unified.record("o1").key)
        #expect(try await fixture.store.read { try $0.grants(from: .document(key)) } == [])
        try await fixture.expectSound()
    }

    @Test("The default function assigns the new collection's own channel, which differs from another channel with that name")
    func byDefault() async throws {
        let (fixture, migration, database) = try await moved(["o1": #"{"channels":["a"]}"#], new: nil)
        _ = try await migration.run { _ in }
        #expect(try await channels("o1", database, fixture) == ["a", "\u{1}orders"])
        _ = try await migration.revert { _ in }
        #expect(try await channels("o1", database, fixture) == ["a"])
    }

    @Test("A document that the function refuses is moved, keeps its channels, and is counted")
    func refused() async throws {
        let (fixture, migration, database) = try await moved(
            ["o1": #"{"channels":["a"],"bad":1}"#, "o2": #"{"channels":["b"]}"#, "o3": #"{"loop":1,"channels":["c"]}"#],
            new: "function (doc) { if (doc.bad) throw({forbidden: 'bad'}); if (doc.loop) throw 'x'; channel('new'); }")
        let preview = try await migration.preview { _ in }
        let summary = try await migration.run { _ in }
        #expect(summary == preview)
        #expect(summary.moved[orders]?.documents == 3)
        #expect(summary.refused.documents == 2 && summary.refused.examples == ["o1", "o3"])
        #expect(try await channels("o1", database, fixture) == ["a"])
        #expect(try await channels("o2", database, fixture) == ["new"])
        #expect(try await channels("o3", database, fixture) == ["c"])
        try await fixture.expectSound()
    }

    @Test("A revert counts the documents that the old function refuses, and moves them back")
    func refusedRevert() async throws {
        let (fixture, migration, database) = try await moved(["o1": #"{"n":1}"#], new: "function (doc) { channel('new'); }")
        _ = try await migration.run { _ in }
        let strict = try await fixture.reopened {
            $0.collections = [
                CollectionConfiguration(name: .default, syncFunction: "function () { throw({forbidden: 'no'}); }"),
                CollectionConfiguration(name: orders, syncFunction: "function (doc) { channel('new'); }"),
            ]
            $0.routes = []
        }
        _ = database
        let summary = try await InPlaceMigration(strict).revert { _ in }
        #expect(summary?.documents == 1 && summary?.refused == 1)
        #expect(try await channels("o1", strict, fixture) == ["new"])
        #expect(try await strict.keyspace(.default)?.current("o1") != nil)
    }
}
