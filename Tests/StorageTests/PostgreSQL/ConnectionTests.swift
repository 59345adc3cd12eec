import Coordination
import Documents
import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

@Suite("Connections that PostgreSQL or the network ends")
struct ConnectionTests {
    /// Runs a test with a store whose connections pass a proxy.
    private func withProxy(_ body: (PostgreSQLProxy, PostgreSQLStore) async throws -> Void) async throws {
        let schema = try TemporarySchema()
        let host = try #require(
            URLComponents(string: schema.url)?.queryItems?.first { $0.name == "host" }?.value, "a server on a Unix socket")
        let proxy = try PostgreSQLProxy(to: host + "/.s.PGSQL.5432")
        defer { proxy.close() }
        let store = try PostgreSQLStore(url: "postgres://dualgauge@/postgres?host=\(proxy.folder)", schema: schema.name)
        // Its connection commits, too, when it begins.
        await eventually { store.listener.isListening }
        try await body(proxy, store)
        try await store.close()
    }

    @Test("No error says that it is tried again: that is so in a bridge, and not in a command")
    func remedies() throws {
        let address = try PostgreSQLAddress(url: try TestPostgreSQL.url(), schema: "s", isReadOnly: false)
        let states = [
            "53100", "25006", "42501", "3D000", "28P01", "25P03", "42P01", "42P06", "55P03", "40001", "XX001", "08006", "57P01", "53300",
            "22001", "23505", "42601",
        ]
        let errors =
            states.map { StorageError(state: $0, detail: "d", at: address) }
            + [StorageError(lost: "d", at: address)] + [true, false].map { StorageError(refused: "d", needsPassword: $0, at: address) }
        for error in errors { #expect(!error.message.contains("tried again") && !error.message.contains("tries again"), "\(error)") }
    }

    private func ids(_ store: some Store) async throws -> [String] { try await store.read { try $0.feedIDs(.unified) } }

    @Test("A commit whose acknowledgement is lost is found, and is acknowledged once")
    func lostAcknowledgement() async throws {
        try await withProxy { proxy, store in
            try await store.write { _ = try $0.add("a") }
            let before = store.commitCount
            proxy.breakNextCommit(.afterCommit)
            try await store.write { _ = try $0.add("b") }
            #expect(try await ids(store) == ["a", "b"])
            #expect(try await store.read { try $0.lastSequence.value } == SequenceNumber.newOrigin.value + 2)
            #expect(store.commitCount == before + 1)
            try await store.write { _ = try $0.add("c") }
            try await store.expectSound()
        }
    }

    @Test("A commit that the server has not received fails, and nothing of it is stored")
    func lostOrder() async throws {
        try await withProxy { proxy, store in
            proxy.breakNextCommit(.beforeCommit)
            await expectError(.inputOutput) { try await store.write { _ = try $0.add("a") } }
            #expect(try await ids(store) == [])
            try await store.write { _ = try $0.add("a") }
            #expect(try await ids(store) == ["a"])
            try await store.expectSound()
        }
    }

    @Test("After a restart of the server, reads, writes and notifications go on by themselves")
    func restart() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open()
        let other = try schema.open()
        try await store.write { _ = try $0.add("a") }
        #expect(try await ids(store) == ["a"])
        await eventually { store.listener.isListening }
        try schema.endConnections()
        try await store.write { _ = try $0.add("b") }
        #expect(try await ids(store) == ["a", "b"])
        await eventually { store.listener.isListening }
        var commits = store.commits().makeAsyncIterator()
        try await other.write { _ = try $0.add("c") }
        #expect(await commits.next() != nil)
        try await store.close()
        try await other.close()
    }

    @Test("Work whose connection ends meanwhile fails and is undone, and the next work succeeds")
    func endedMeanwhile() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open()
        await expectError(.inputOutput) {
            try await store.write { transaction in
                try transaction.add("a")
                #expect(try transaction.document(unifiedID: "a") != nil)
                try schema.endConnections()
                try transaction.add("b")
                _ = try transaction.document(unifiedID: "b")
            }
        }
        #expect(try await ids(store) == [])
        try await store.write { _ = try $0.add("c") }
        #expect(try await ids(store) == ["c"])
        try await store.close()
    }

    @Test("The transaction of a process that is stopped ends, and other processes write on")
    func stopped() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open { $0.idleTimeout = .milliseconds(100) }
        let other = try schema.open()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let semaphore = DispatchSemaphore(value: 0)
        let stopped = Task {
            try await store.write { transaction in
                try transaction.add("stopped")
                _ = try transaction.document(unifiedID: "stopped")
                starting.yield()
                semaphore.wait()
            }
        }
        for await _ in started { break }
        try await other.write { _ = try $0.add("a") }
        semaphore.signal()
        await expectError(.inputOutput) { try await stopped.value }
        #expect(try await ids(other) == ["a"])
        try await store.write { _ = try $0.add("b") }
        #expect(try await ids(store) == ["a", "b"])
        try await store.close()
        try await other.close()
    }

    @Test("The lock of another writer that lasts too long is reported as busy, and reads go on")
    func busy() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open { $0.lockTimeout = .milliseconds(50) }
        let held = try schema.connect()
        try held.execute(script: "BEGIN; SELECT 1 FROM store WHERE key = 1 FOR UPDATE")
        await expectError(.busy) { try await store.write { _ = try $0.add("a") } }
        #expect(try await ids(store) == [])
        try held.execute(script: "ROLLBACK")
        try await store.write { _ = try $0.add("a") }
        try await store.close()
    }

    @Test("A wait that is ended fails, nothing of it is stored, and later waits go on")
    func endedWait() async throws {
        let schema = try TemporarySchema()
        let store = try schema.open { $0.lockTimeout = .seconds(300) }
        let (held, observer) = (try schema.connect(), try schema.connect())
        try held.execute(script: "BEGIN; SELECT 1 FROM store WHERE key = 1 FOR UPDATE")
        let isDone = Lock(false)
        let write = Task {
            defer { isDone.withLock { $0 = true } }
            try await store.write { _ = try $0.add("a") }
        }
        await eventually {
            let waiting = try? observer.first(
                "SELECT 1::bigint FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = convert_from($1, 'UTF8')",
                schema.name
            ) { $0.integer(0) }
            return waiting != nil
        }
        // It is tried again with another connection, as nothing was sent yet.
        await eventually {
            store.endWaits(begunBefore: .now)
            return isDone.withLock(\.self)
        }
        await expectError(.inputOutput) { try await write.value }
        try held.execute(script: "ROLLBACK")
        try await store.write { _ = try $0.add("b") }
        #expect(try await ids(store) == ["b"])
        try await store.close()
    }

    @Test("While the server is away, attempts to connect become rare")
    func pause() throws {
        var pause = ReconnectPause()
        try pause.check()
        var lengths: [Duration] = []
        for _ in 0..<9 {
            lengths.append(pause.length)
            pause.extend(after: StorageError(.inputOutput, "away"))
        }
        #expect(lengths.first == .milliseconds(50) && lengths.last == .seconds(5))
        #expect(throws: StorageError(.inputOutput, "")) { try pause.check() }
    }
}
