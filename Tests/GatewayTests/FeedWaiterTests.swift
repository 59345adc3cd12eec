import TestSupport
import Testing

@testable import Gateway
@testable import SQLiteStorage
@testable import Storage

@Suite("Wake-ups of an idle feed", .timeLimit(.minutes(5)))
struct FeedWaiterTests {
    @Test("A commit wakes the feed, also one before the wait began, and each counts once")
    func commits() async throws {
        let fixture = try await Fixture()
        let alarm = FeedWaiter(following: fixture.unified.follow())
        try await fixture.unified.push("a", "1-aa")
        try await fixture.unified.push("b", "1-aa")
        #expect(try await alarm.next() == .commit)
        async let events = alarm.next()
        await eventually { fixture.store.waiterCount > 0 }
        try await fixture.unified.push("c", "1-aa")
        #expect(try await events == .commit)
    }

    @Test("A heartbeat does not remove the registration for a commit")
    func heartbeats() async throws {
        let fixture = try await Fixture()
        let alarm = FeedWaiter(following: fixture.unified.follow())
        for _ in 0..<3 {
            async let events = alarm.next()
            await eventually { fixture.store.waiterCount > 0 }
            alarm.raise(.heartbeat)
            #expect(try await events == .heartbeat)
            #expect(fixture.store.waiterCount == 1)
        }
        try await fixture.unified.push("a", "1-aa")
        #expect(try await alarm.next() == .commit)
    }

    @Test("Events without a waiting reader are merged")
    func together() async throws {
        let fixture = try await Fixture()
        let alarm = FeedWaiter(following: fixture.unified.follow())
        alarm.raise(.heartbeat)
        alarm.raise(.timeout)
        alarm.raise(.heartbeat)
        #expect(try await alarm.next() == [.heartbeat, .timeout])
    }

    @Test("An end that arrives with a commit is returned after the commit")
    func endWithCommit() async throws {
        let fixture = try await Fixture()
        let alarm = FeedWaiter(following: fixture.unified.follow())
        alarm.raise(.commit)
        alarm.raise(.end)
        #expect(try await alarm.next() == [.commit, .end])
        #expect(alarm.hasEnded)
        #expect(try await alarm.next() == .end)
    }

    @Test("The end of the store wakes the feed")
    func closing() async throws {
        let fixture = try await Fixture()
        let alarm = FeedWaiter(following: fixture.unified.follow())
        async let events = alarm.next()
        await eventually { fixture.store.waiterCount > 0 }
        try await fixture.store.close()
        #expect(try await events == .end)
        #expect(try await alarm.next() == .end)
    }

    @Test("A cancelled reader ends, and a released feed leaves nothing behind")
    func cancellation() async throws {
        let fixture = try await Fixture()
        do {
            let alarm = FeedWaiter(following: fixture.unified.follow())
            let reader = Task { try await alarm.next() }
            await eventually { fixture.store.waiterCount > 0 }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            try await fixture.unified.push("a", "1-aa")
            #expect(try await alarm.next() == .commit)
        }
        await eventually { fixture.store.waiterCount == 0 }
    }

    @Test("A reader that was cancelled before the wait does not wait")
    func cancelledBefore() async throws {
        let fixture = try await Fixture()
        let alarm = FeedWaiter(following: fixture.unified.follow())
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await alarm.next()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
    }
}
