import Authentication
import Coordination
import Foundation
import Gateway
import Logging
import SQLiteStorage
import Scripting
import Storage
import Testing

@testable import ReplicationService
@testable import Server

@Suite("Documents are deleted when they expire", .timeLimit(.minutes(5)))
struct ExpiryRunnerTests {
    /// A clock that advances only during a sleep: to the end of the sleep, if the test allows it.
    private final class SleepyClock: Sendable {
        private struct State {
            var now: Int64
            var sleepers: [Int64] = []
        }

        private let state: Lock<State>
        private let slept: AsyncStream<Int64>
        private let report: AsyncStream<Int64>.Continuation

        init(now: Int64) {
            state = Lock(State(now: now))
            (slept, report) = AsyncStream.makeStream()
        }

        var clock: AccessClock { AccessClock { self.state.withLock { $0.now } } }

        func set(_ time: Int64) { state.withLock { $0.now = time } }

        /// Sleeps until it is cancelled.
        func sleep(until time: Int64) async {
            report.yield(time)
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            await withTaskCancellationHandler {
                for await _ in never {}
            } onCancel: {
                continuation.finish()
            }
        }

        /// The end of the next sleep.
        func nextSleep() async -> Int64? {
            await slept.first { _ in true }
        }
    }

    private static let start: Int64 = 1_900_000_000_000

    private func run(_ body: (Database, SleepyClock) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.url.path + "/test.dualgauge")
        let database = try await Database(
            configuration: DatabaseConfiguration(name: "db"), store: store, scripts: ScriptEngine(workers: 1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let time = SleepyClock(now: Self.start)
        let runner = ExpiryRunner(database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: time.clock) {
            await time.sleep(until: $0)
        }
        runner.start()
        do {
            try await body(database, time)
        } catch {
            await runner.stop()
            throw error
        }
        await runner.stop()
        try await database.close()
    }

    private func write(_ id: String, expires time: Int64, to database: Database) async throws {
        let result = try await database.unified.write([
            RevisionWrite(id: id, kind: .edit(parent: nil), isDeleted: false, body: Array("{}".utf8), expiry: DocumentExpiry(time: time))
        ])
        _ = try result[0].get()
    }

    private func isDeleted(_ id: String, in database: Database) async throws -> Bool? {
        try await database.unified.read { try $0.document(id)?.isDeleted }
    }

    @Test("The runner sleeps for a minute at most, until the next expiry, or until a write has an earlier expiry")
    func sleeps() async throws {
        try await run { database, time in
            #expect(await time.nextSleep() == Self.start + 60_000)
            try await write("later", expires: Self.start + 3_600_000, to: database)
            try await write("soon", expires: Self.start + 30_000, to: database)
            #expect(await time.nextSleep() == Self.start + 30_000)
            try await write("sooner", expires: Self.start + 10_000, to: database)
            #expect(await time.nextSleep() == Self.start + 10_000)
            #expect(try await isDeleted("sooner", in: database) == false)

            // Wake-ups do not matter; the time of the clock does.
            time.set(Self.start + 10_000)
            try await write("soonest", expires: Self.start + 9_000, to: database)
            #expect(await time.nextSleep() == Self.start + 30_000)
            #expect(try await isDeleted("sooner", in: database) == true)
            #expect(try await isDeleted("soonest", in: database) == true)
            #expect(try await isDeleted("soon", in: database) == false)
        }
    }
}
