import Coordination
import Testing

@Suite("One operation for concurrent callers")
struct SingleFlightTests {
    private let flight = SingleFlight<String, Int>()
    private let begun = Log()

    /// A call whose operation begins with an entry in the log and ends with the promise.
    private func call(_ key: String, until end: Promise<Int, any Error>) -> Task<Int, any Error> {
        Task { [flight, begun] in
            try await flight.value(for: key) {
                begun.add(key)
                return try await end.value()
            }
        }
    }

    @Test("Callers with the same key share one operation; other keys have their own")
    func keys() async throws {
        let (executor, log) = (StepExecutor(), Log())
        let ends = ["a": Promise<Int, any Error>(), "b": Promise<Int, any Error>()]
        // All callers wait when the first operation ends.
        for key in ["a", "a", "b", "a", "b"] {
            executor.start { [flight, begun] in
                let value = try? await flight.value(for: key) {
                    begun.add(key)
                    return try await ends[key]?.value() ?? 0
                }
                log.add("\(key)\(value ?? 0)")
            }
        }
        func end(_ key: String, with value: Int, _ count: Int) async {
            ends[key]?.resolve(.success(value))
            while log.entries.count < count {
                executor.run()
                await Task.yield()
            }
        }
        await end("b", with: 2, 2)
        #expect(log.entries == ["b2", "b2"])
        await end("a", with: 1, 5)
        #expect(log.entries.suffix(3) == ["a1", "a1", "a1"])
        #expect(begun.entries.sorted() == ["a", "b"])
    }

    @Test("An error reaches all callers, and the next caller begins anew")
    func failure() async throws {
        let end = Promise<Int, any Error>()
        let calls = [call("a", until: end), call("a", until: end)]
        while begun.entries.isEmpty { await Task.yield() }
        end.resolve(.failure(Fault("failed")))
        for call in calls { await #expect(throws: Fault.self) { try await call.value } }
        let again = Promise<Int, any Error>()
        again.resolve(.success(3))
        #expect(try await call("a", until: again).value == 3)
    }

    @Test("The operation and its callers go on when a caller is cancelled")
    func cancellation() async throws {
        let end = Promise<Int, any Error>()
        let cancelled = Count()
        let calls = (0..<2).map { _ in
            Task { [flight, begun] in
                try await flight.value(for: "a") {
                    begun.add("a")
                    let value = try await end.value()
                    if Task.isCancelled { cancelled.add(1) }
                    return value
                }
            }
        }
        while begun.entries.isEmpty { await Task.yield() }
        for call in calls { call.cancel() }
        end.resolve(.success(1))
        for call in calls { #expect(try await call.value == 1) }
        #expect(cancelled.value == 0)
    }

    @Test("No two of many operations with one key overlap")
    func manyTasks() async throws {
        let running = Count()
        let flight = flight
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    _ = try await flight.value(for: "a") {
                        #expect(running.add(1) == 1)
                        await Task.yield()
                        running.add(-1)
                        return 1
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
