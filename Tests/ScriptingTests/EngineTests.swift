import Scripting
import TestSupport
import Testing

@Suite("The engine")
struct EngineTests {
    private static let yes = ScriptFunction.predicate("function (doc) { return doc.n % 2 == 0 }", owner: "db")
    private static let loop = ScriptFunction.predicate("function (doc) { while (true) {} }", owner: "loop")
    /// So that only what a test does ends a loop, however busy the machine.
    private static let forEver = Duration.seconds(3_600)

    @Test("Many callers of several functions at once each get their own answers")
    func concurrency() async throws {
        try await withEngine(workers: 2) { engine in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<200 {
                    group.addTask {
                        let function = ScriptFunction.predicate(
                            "function (doc) { return doc.n % 2 == \(caller % 3) }", owner: "db\(caller % 5)")
                        let results = try await engine.call(function, each: (0..<20).map { Array(#"{"n":\#($0 + caller)}"#.utf8) })
                        #expect(results == (0..<20).map { .success(($0 + caller) % 2 == caller % 3) })
                    }
                }
                try await group.waitForAll()
            }
            #expect(engine.statistics.calls == 4_000)
            #expect(engine.statistics.failures.isEmpty)
            #expect(engine.statistics.waiting == 0)
        }
    }

    @Test("A looping function holds up one worker, not the other")
    func fairness() async throws {
        try await withEngine(workers: 2) {
            $0.timeLimit = .seconds(1)
        } _: { engine in
            async let looping = failure { try await engine.call(Self.loop, empty) }
            for number in 0..<100 {
                let answer = try await engine.call(Self.yes, Array(#"{"n":\#(number)}"#.utf8))
                #expect(answer == (number % 2 == 0))
            }
            #expect(await looping?.code == .timeout)
        }
    }

    @Test("While loops of one database have all workers, each other database has one of its own, which ends with its need")
    func databases() async throws {
        try await withEngine(workers: 1) {
            $0.timeLimit = Self.forEver
            $0.batchTimeLimit = Self.forEver
            $0.wallTimeLimit = Self.forEver
        } _: { engine in
            let loops = (0..<3).map { _ in Task { try? await engine.call(Self.loop, empty) } }
            await eventually { engine.statistics.running >= 1 && engine.statistics.waiting >= 2 }
            for number in 0..<3 {
                let answer = try await engine.call(Self.yes, Array(#"{"n":\#(number)}"#.utf8))
                #expect(answer == (number % 2 == 0))
            }
            // Its own other calls wait.
            #expect(engine.statistics.waiting == 2)
            await eventually { engine.statistics.workers <= 1 }
            for loop in loops { loop.cancel() }
            await engine.stop()
            for loop in loops { _ = await loop.value }
        }
    }

    @Test("An engine has no worker before it is called, and none when it had nothing to do for long")
    func idle() async throws {
        try await withEngine(workers: 4) {
            $0.idleTime = .zero
        } _: { engine in
            #expect(engine.statistics.workers == 0)
            for round in 1...3 {
                let answer = try await engine.call(Self.yes, Array(#"{"n":2}"#.utf8))
                #expect(answer)
                await eventually { engine.statistics.workers == 0 }
                #expect(engine.statistics.calls == round)
            }
            #expect(engine.statistics.compilations == 3)
        }
    }

    @Test("One caller at a time needs one worker")
    func oneWorker() async throws {
        try await withEngine(workers: 4) { engine in
            for _ in 0..<50 { try await engine.compile(Self.yes) }
            #expect(engine.statistics.compilations == 1)
            #expect(engine.statistics.workers == 1)
        }
    }

    @Test("Engines that are never called cost nothing")
    func manyEngines() async {
        let engines = (0..<1_000).map { _ in ScriptEngine(workers: 8) }
        #expect(engines.allSatisfy { $0.statistics.workers == 0 })
        for engine in engines { await engine.stop() }
    }

    @Test("An empty batch asks nobody")
    func emptyBatch() async throws {
        try await withEngine { engine in
            let results = try await engine.call(Self.yes, each: [])
            #expect(results.isEmpty)
            #expect(engine.statistics.calls == 0)
        }
    }

    @Test("No more than the limit wait")
    func bounds() async throws {
        try await withEngine {
            $0.timeLimit = Self.forEver
            $0.waitingLimit = 3
        } _: { engine in
            await withTaskGroup(of: ScriptError.Code?.self) { group in
                group.addTask { await failure { try await engine.call(Self.loop, empty) }?.code }
                await eventually { engine.statistics.running >= 1 }
                for _ in 0..<19 { group.addTask { await failure { try await engine.call(Self.loop, empty) }?.code } }
                for _ in 0..<16 { #expect(await group.next() == .busy) }
                await engine.stop()
                for await code in group { #expect(code == .stopped) }
            }
        }
    }

    @Test("Stopping ends what runs and what waits")
    func stop() async throws {
        try await withEngine {
            $0.timeLimit = Self.forEver
        } _: { engine in
            let callers = (0..<5).map { _ in
                Task { try await engine.call(Self.loop, each: [empty, empty]).map(code) }
            }
            // Nothing changes any more when this is so: the one that runs does so for ever.
            await eventually { engine.statistics.waiting >= 4 && engine.statistics.running >= 1 }
            await engine.stop()
            var stopped = 0
            for caller in callers {
                switch await caller.result {
                case .success(let codes): #expect(codes == [.stopped, .stopped])
                case .failure(let error):
                    #expect((error as? ScriptError)?.code == .stopped)
                    stopped += 1
                }
            }
            #expect(stopped == 4)
            #expect(engine.statistics.workers == 0)
            #expect(await failure { try await engine.call(Self.yes, empty) }?.code == .stopped)
        }
    }

    @Test("A cancelled caller no longer waits")
    func cancellation() async throws {
        try await withEngine {
            $0.timeLimit = Self.forEver
        } _: { engine in
            async let looping = failure { try await engine.call(Self.loop, empty) }
            await eventually { engine.statistics.running >= 1 }
            let caller = Task { try await engine.call(Self.loop, empty) }
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await engine.call(Self.yes, empty)
            }
            await #expect(throws: CancellationError.self) { try await early.value }
            #expect(engine.statistics.waiting == 0)
            await engine.stop()
            #expect(await looping?.code == .stopped)
        }
    }

    @Test("A call that the clock on the wall finds too long is ended")
    func wallTime() async throws {
        try await withEngine {
            $0.timeLimit = Self.forEver
            $0.wallTimeLimit = .milliseconds(50)
        } _: { engine in
            #expect(await failure { try await engine.call(Self.loop, empty) }?.code == .timeout)
        }
    }

    @Test("An engine that is let go of ends by itself")
    func release() async throws {
        var engine: ScriptEngine? = ScriptEngine(workers: 2)
        let answer = try await engine?.call(Self.yes, Array(#"{"n":2}"#.utf8))
        weak let reference = engine
        engine = nil
        #expect(answer == true)
        #expect(reference == nil)
    }
}
