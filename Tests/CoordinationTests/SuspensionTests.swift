import Coordination
import Foundation
import Testing

@Suite("Suspended tasks")
struct SuspensionTests {
    /// A time that no test waits for.
    private static let never = Duration.seconds(86_400)

    @Test("A task goes on after the time", arguments: [Duration.seconds(-1), .zero, .microseconds(1), .milliseconds(3)])
    func time(_ time: Duration) async throws {
        let start = ContinuousClock.now
        try await suspend(for: time)
        #expect(ContinuousClock.now - start >= time)
    }

    @Test("A task that is cancelled meanwhile, or was before, goes on at once", arguments: [never, .seconds(Int64.max)])
    func cancellation(_ time: Duration) async {
        let task = Task { try await suspend(for: time) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        let begun = FlowGate()
        begun.close()
        let later = Task {
            begun.open()
            try await suspend(for: time)
        }
        try? await begun.pass()
        later.cancel()
        await #expect(throws: CancellationError.self) { try await later.value }
    }

    @Test("A cancelled suspension keeps no memory")
    func memory() async {
        // Other tests of this process allocate, too.
        await #expect(processExitsWith: .success) {
            func cancelled(_ count: Int) async {
                for _ in 0..<count {
                    let task = Task { try? await suspend(for: .seconds(3_600)) }
                    await Task.yield()
                    task.cancel()
                    await task.value
                }
            }
            /// The pages of the process in memory.
            func pages() throws -> Int {
                let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                return try #require(Int(fields[1]))
            }
            // 20,000 sleeps of the runtime keep some 14 MB, 3,500 pages, each time. A busy system frees cancelled timers late, so one round may grow.
            var last = try pages()
            var growth = Int.max
            for _ in 0..<6 where growth >= 1_000 {
                await cancelled(20_000)
                let now = try pages()
                (growth, last) = (now - last, now)
            }
            #expect(growth < 1_000)
        }
    }
}
