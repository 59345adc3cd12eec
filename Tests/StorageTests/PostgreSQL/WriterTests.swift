import Coordination
import Documents
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

@Suite("Several writers of one PostgreSQL store")
struct WriterTests {
    @Test("A reader that goes on behind the last sequence misses no document, whatever writers commit meanwhile")
    func order() async throws {
        let schema = try TemporarySchema()
        let stores = try (0..<3).map { _ in try schema.open() }
        let isDone = Lock(false)
        async let reading = {
            var (seen, last): ([String], SequenceNumber) = ([], .zero)
            while true {
                let wasDone = isDone.withLock { $0 }
                let rows = try await stores[0].read { [last] snapshot in
                    var rows: [(String, SequenceNumber)] = []
                    try snapshot.feed(.unified, FeedStretch(after: last, limit: 10_000)) { row in
                        rows.append((row.id, row.sequence))
                        return true
                    }
                    return rows
                }
                #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.1 < $1.1 })
                seen += rows.map(\.0)
                last = rows.last?.1 ?? last
                if wasDone, rows.isEmpty { return seen }
            }
        }()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                group.addTask {
                    for index in 0..<60 { try await stores[writer % 3].write { _ = try $0.add("d\(writer)-\(index)") } }
                }
            }
            try await group.waitForAll()
        }
        isDone.withLock { $0 = true }
        let seen = try await reading
        #expect(seen.count == 360 && Set(seen).count == 360)
        try await stores[0].expectSound()
        for store in stores { try await store.close() }
    }

    /// Makes the insertion of documents fail so many times with an error that a repetition may not meet.
    private func fail(_ count: Int, in schema: TemporarySchema) throws {
        try schema.change(
            """
            CREATE SEQUENCE failures;
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('failures') <= \(count) THEN RAISE EXCEPTION 'meanwhile' USING ERRCODE = 'serialization_failure'; END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER fail BEFORE INSERT ON documents FOR EACH ROW EXECUTE FUNCTION fail();
            """)
    }

    @Test("A serialization failure is tried again, a limited number of times", arguments: [2, 1_000])
    func repeated(failures: Int) async throws {
        let schema = try TemporarySchema()
        let store = try schema.open()
        try fail(failures, in: schema)
        if failures == 2 {
            try await store.write { _ = try $0.add("a") }
            #expect(try await store.read { try $0.feedIDs(.unified) } == ["a"])
        } else {
            await expectError(.busy) { try await store.write { _ = try $0.add("a") } }
            #expect(try await store.read { try $0.feedIDs(.unified) } == [])
        }
        try await store.expectSound()
        try await store.close()
    }

    @Test("A failure that is noticed after the work has returned fails that work alone")
    func lateFailure() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open()
        try await store.write { _ = try $0.add("taken") }
        let results = await together(store, 9) { index, transaction in
            try transaction.add(index == 4 ? "taken" : "d\(index)")
            return index
        }
        #expect(results.map { (try? $0.get()) != nil } == (0..<9).map { $0 != 4 })
        #expect(throws: StorageError(.conflict, "")) { try results[4].get() }
        try await store.expectSound()
        try await store.close()
    }

    @Test("More documents than the connection buffers are written in one transaction, and their results are read meanwhile")
    func large() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open()
        let body = StoredBody(properties: [UInt8](repeating: 0x20, count: 3_000))
        try await store.write { transaction in
            for index in 0..<3_000 {
                let document = try DocumentRecord.new("d\(index)", tree(["1-aa"]), sequence: transaction.nextSequence())
                _ = try transaction.insert(
                    document, winnerBody: index == 1_500 ? StoredBody(properties: [UInt8](repeating: 7, count: 3 << 20)) : body)
            }
        }
        #expect(try await store.read { try $0.feedIDs(.unified, limit: 5_000).count } == 3_000)
        try await store.expectSound()
        try await store.close()
    }
}
