import Coordination
import Documents
import ModernClient
import Testing

@testable import ReplicationService
@testable import Server

@Suite("The rate of a pull")
struct PullRateTests {
    /// A clock that advances only during a sleep.
    private final class SleepingClock: Sendable {
        private let state = Lock((now: Duration.zero, sleeps: [Duration]()))

        var now: Duration { state.withLock { $0.now } }
        var sleeps: [Duration] { state.withLock { $0.sleeps } }

        func sleep(_ duration: Duration) {
            state.withLock { state in
                state.now += duration
                state.sleeps.append(duration)
            }
        }

        func pass(_ duration: Duration) { state.withLock { $0.now += duration } }
    }

    private func document(_ id: String) throws -> FilteredDocument {
        FilteredDocument(id: id, revision: try #require(RevisionID("1-aa")), body: Array("{}".utf8))
    }

    @Test("Each document waits for its turn; a wait for the server is made up by at most a second's worth of documents")
    func pace() async throws {
        let clock = SleepingClock()
        let filter = PullRate(10, now: { clock.now }, sleep: { clock.sleep($0) }).filter(nil)
        for number in 0..<20 { #expect(try await filter(try document("\(number)"), [])) }
        #expect(clock.now == .seconds(2))
        #expect(clock.sleeps == Array(repeating: .milliseconds(100), count: 20))
        clock.pass(.seconds(60))
        for number in 0..<15 { #expect(try await filter(try document("\(number)"), [])) }
        #expect(clock.sleeps.count == 25)
    }

    @Test("The result of another filter is kept, and a stopped pull does not wait")
    func other() async throws {
        let clock = SleepingClock()
        let other = ReplicationFilter { document, _ in document.id == "wanted" }
        let filter = PullRate(0, now: { clock.now }, sleep: { clock.sleep($0) }).filter(other)
        #expect(try await filter(try document("wanted"), []))
        #expect(try await !filter(try document("other"), []))
        #expect(clock.now == .seconds(2))
        let stopped = PullRate(1, now: { .zero }, sleep: { _ in throw CancellationError() }).filter(nil)
        await #expect(throws: CancellationError.self) { try await stopped(try document("wanted"), []) }
    }
}
