import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage
@testable import StoreCopy

@Suite("Copies that are interrupted")
struct ResumeTests {
    /// Adds, changes and removes rows, as a bridge may do meanwhile.
    private func change(_ place: CopyPlaceForTests, _ number: Int) throws {
        try place.execute(
            """
            DELETE FROM expiries WHERE document = \(number % 5);
            DELETE FROM attachment_uses WHERE document = \(number % 7);
            UPDATE versions SET earlier = '\(number)' WHERE document = 3;
            UPDATE documents SET sequence = -sequence, modified = \(number) WHERE key = 2;
            INSERT INTO channels (key, name) VALUES (\(1_000 + number), 'c\(number)');
            UPDATE channels SET key = key + 10000 WHERE key = \(1_000 + number - 5)
            """)
    }

    @Test(
        "A copy that fails at any of its writes goes on with the changes since, and ends equal", arguments: CopyEngine.pairs, [false, true])
    func everyWrite(pair: (CopyEngine, CopyEngine), isAfter: Bool) async throws {
        let first = try CopyPlaceForTests(pair.0)
        try await first.fill(count: 4)
        let second = try CopyPlaceForTests(pair.1)
        var options = StoreCopier.Options()
        // Each snapshot is read for one batch.
        options.stretch = .zero
        options.limit.rows = 30
        var failures = 0
        // Each run gets one write further than the run before, or as far.
        for attempt in 0... {
            try #require(attempt < 1_000)
            let (source, target) = (
                try first.source(), FailingTarget(try second.target(), at: attempt == 0 ? 0 : 1 + attempt % 3, isAfter: isAfter)
            )
            defer {
                source.close()
                target.close()
            }
            do {
                _ = try StoreCopier(source, target, options).run()
                break
            } catch is FailingTarget.Failure {
                failures += 1
                if try source.moved() == nil, attempt % 5 == 0 { try change(first, attempt) }
            }
        }
        #expect(failures > 20)
        #expect(try differences(first, second).isEmpty)
    }

    @Test("An unfinished copy is no store: no opening and no other source takes it", arguments: CopyEngine.allCases)
    func unfinished(engine: CopyEngine) async throws {
        let (first, second, other) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(engine), try CopyPlaceForTests(.sqlite))
        try await first.fill()
        try await other.open().close()
        #expect(throws: FailingTarget.Failure.self) {
            let target = FailingTarget(try second.target(), at: 4, isAfter: true)
            defer { target.close() }
            _ = try StoreCopier(first.source(), target, smallOptions()).run()
        }
        for isReadOnly in [false, true] {
            let error = #expect(throws: StorageError.self) { try second.open(isReadOnly: isReadOnly) }
            #expect(error?.code == .notAStore)
            #expect(error?.message.contains("dualgauge copy") == true)
        }
        #expect(throws: StorageError.self) { try second.source() }
        let refusal = #expect(throws: StoreCopyError.self) { try StoreCopier(other.source(), second.target()).run() }
        #expect(refusal?.code == .occupied)
        // Another target is refused while this copy is not finished.
        let elsewhere = try CopyPlaceForTests(.sqlite)
        #expect(throws: StoreCopyError.self) { try StoreCopier(first.source(), elsewhere.target()).run() }
        _ = try StoreCopier(first.source(), second.target()).run()
        #expect(try differences(first, second).isEmpty)
    }

    @Test("A copy that another command ends and begins anew stops, and is not completed")
    func ended() async throws {
        let (first, second) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(.sqlite))
        try await first.fill(count: 20)
        let other = try first.source()
        var options = smallOptions()
        options.stretch = .zero
        var batches = 0
        let copier = try StoreCopier(
            first.source(), second.target(), options,
            progress: { _ in
                batches += 1
                guard batches == 3 else { return }
                try? other.end()
                try? other.begin(OutgoingCopy(copy: "another", target: "x"))
            })
        let refusal = #expect(throws: StoreCopyError.self) { try copier.run() }
        #expect(refusal?.code == .unrelated)
        #expect(try other.outgoing()?.copy == "another")
        #expect(throws: StorageError.self) { try second.open() }
    }

    @Test("A copy in SQLite survives kill -9 at any moment", arguments: 0..<4)
    func killed(seed: Int) async throws {
        let (first, second) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(.sqlite))
        try await first.fill(count: 60)
        await #expect(processExitsWith: .signal(SIGKILL)) { [from = first.name as String, to = second.name as String, seed = seed as Int] in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20 + seed * 60)) { _ = kill(getpid(), SIGKILL) }
            var options = StoreCopier.Options()
            options.limit.rows = 1
            while true {
                _ = try? StoreCopier(SQLiteCopySource(path: from), SQLiteCopyTarget(path: to), options).run()
            }
        }
        _ = try StoreCopier(first.source(), second.target()).run()
        #expect(try differences(first, second).isEmpty)
    }

    @Test("A copy waits while the server completes the beginning of a process that was killed", .timeLimit(.minutes(1)))
    func lateBeginning() async throws {
        let (first, second) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(.postgreSQL))
        try await first.fill(count: 3)
        let killed = try second.connect()
        try killed.execute(
            script: """
                BEGIN;
                SELECT pg_advisory_xact_lock(hashtextextended('\(second.name)', 0));
                CREATE SCHEMA "\(second.name)"
                """)
        let (source, target) = (try first.source(), try second.target())
        let copying = Task.detached { _ = try StoreCopier(source, target).run() }
        let observer = try second.connect()
        try await eventually {
            try observer.first("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") { $0.integer(0) } ?? 0 > 0
        }
        try killed.execute(script: "COMMIT")
        try await copying.value
        #expect(try differences(first, second).isEmpty)
    }

    @Test("A copy into PostgreSQL survives kill -9 at any moment", arguments: 0..<3)
    func killedIntoPostgreSQL(seed: Int) async throws {
        let (first, second) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(.postgreSQL))
        try await first.fill(count: 60)
        let url = second.url
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [from = first.name as String, url = url as String, to = second.name as String, seed = seed as Int] in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100 + seed * 150)) { _ = kill(getpid(), SIGKILL) }
            var options = StoreCopier.Options()
            options.limit.rows = 1
            while true {
                _ = try? StoreCopier(SQLiteCopySource(path: from), PostgreSQLCopyTarget(url: url, schema: to), options).run()
            }
        }
        _ = try StoreCopier(first.source(), second.target()).run()
        #expect(try differences(first, second).isEmpty)
    }
}
