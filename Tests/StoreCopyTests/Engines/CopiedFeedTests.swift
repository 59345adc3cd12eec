import Access
import Documents
import Gateway
import Logging
import Scripting
import Storage
import StoreCopy
import Testing

@Suite("Clients that go on at the copy of a store")
struct CopiedFeedTests {
    private func database(_ store: any Store) async throws -> Database {
        try await Database(
            configuration: DatabaseConfiguration(name: "db"), store: store, scripts: ScriptEngine(workers: 1),
            logger: Logger(label: "test"),
            use: .applied)
    }

    private func write(_ id: String, _ keyspace: Keyspace) async throws {
        _ = try await keyspace.write(
            RevisionWrite(id: id, kind: .edit(parent: nil), isDeleted: false, body: Array(#"{"channels":["a"]}"#.utf8)))
    }

    private func rows(_ keyspace: Keyspace, since: FeedPosition) async throws -> (ids: [String], position: FeedPosition) {
        var query = ChangesQuery()
        query.since = since
        query.limit = 100
        var ids: [String] = []
        while true {
            let batch = try await keyspace.changes(query)
            ids += batch.rows.map(\.id)
            query.since = batch.position
            if batch.isCaughtUp { return (ids, batch.position) }
        }
    }

    @Test("A client with a checkpoint of the old store reads no row of the copy again, and then the new ones", arguments: CopyEngine.pairs)
    func checkpoint(pair: (CopyEngine, CopyEngine)) async throws {
        let (first, second) = (try CopyPlaceForTests(pair.0), try CopyPlaceForTests(pair.1))
        let store = try first.open()
        var account = AccountChange()
        account.channels = ["a"]
        try await Accounts(store).put(.user("u"), account)
        let old = try await database(store)
        for number in 0..<20 { try await write("d\(number)", old.unified) }
        let (readers, marks) = ([old.unified.seen(by: .administrator), old.unified.seen(by: .user("u"))], [20, 20])
        var positions: [FeedPosition] = []
        for (reader, count) in zip(readers, marks) {
            let (ids, position) = try await rows(reader, since: .zero)
            #expect(ids.count == count)
            positions.append(position)
        }
        _ = try StoreCopier(first.source(), second.target()).run()
        try await store.close()

        let copy = try second.open()
        let new = try await database(copy)
        let (administrator, user) = (new.unified.seen(by: .administrator), new.unified.seen(by: .user("u")))
        for (reader, position) in zip([administrator, user], positions) {
            #expect(try await rows(reader, since: position).ids.isEmpty)
        }
        try await write("later", new.unified)
        for (reader, position) in zip([administrator, user], positions) {
            #expect(try await rows(reader, since: position).ids == ["later"])
        }
        try await copy.close()
    }
}
