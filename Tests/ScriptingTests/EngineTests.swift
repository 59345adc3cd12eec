import Scripting
import TestSupport
import Testing

@Suite("The engine")
struct EngineTests {
    private static let yes = ScriptFunction.predicate("function (doc) { return doc.n % 2 == 0 }", owner: "db")
    private static let loop = ScriptFunction.predicate("function (doc) { while (true) {} }", owner: "loop")
    /// A limit that ends no loop by itself, however busy the machine.
    private static let forEver = Duration.seconds(3_600)

    @Test("Many concurrent callers of several functions get their own results")
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

    @Test("A looping function blocks one worker, not the other")
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

    @Test("While loops of one database occupy all workers, each other database has a worker of its own as long as it needs it")
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

    @Test("An engine has no worker before its first call, and none after a long idle time")
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

    @Test("Sequential callers need one worker")
    func oneWorker() async throws {
        try await withEngine(workers: 4) { engine in
            for _ in 0..<50 { try await engine.compile(Self.yes) }
            #expect(engine.statistics.compilations == 1)
            #expect(engine.statistics.workers == 1)
        }
    }

    @Test("Engines without calls cost nothing")
    func manyEngines() async {
        let engines = (0..<1_000).map { _ in ScriptEngine(workers: 8) }
        #expect(engines.allSatisfy { $0.statistics.workers == 0 })
        for engine in engines { await engine.stop() }
    }

    @Test("An empty batch calls no worker")
    func emptyBatch() async throws {
        try await withEngine { engine in
            let results = try await engine.call(Self.yes, each: [])
            #expect(results.isEmpty)
            #expect(engine.statistics.calls == 0)
        }
    }

    @Test("At most the limit of calls wait")
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

    @Test("A stop ends running and waiting calls")
    func stop() async throws {
        try await withEngine {
            $0.timeLimit = Self.forEver
        } _: { engine in
            let callers = (0..<5).map { _ in
                Task { try await engine.call(Self.loop, each: [empty, empty]).map(code) }
            }
            // Nothing changes afterwards: the running call does not end.
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

    @Test("A cancelled caller stops waiting")
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

    @Test("A call that exceeds the wall-clock limit is stopped")
    func wallTime() async throws {
        try await withEngine {
            $0.timeLimit = Self.forEver
            $0.wallTimeLimit = .milliseconds(50)
        } _: { engine in
            #expect(await failure { try await engine.call(Self.loop, empty) }?.code == .timeout)
        }
    }

    @Test("A released engine ends by itself")
    func release() async throws {
        var engine: ScriptEngine? = ScriptEngine(workers: 2)
        let answer = try await engine?.call(Self.yes, Array(#"{"n":2}"#.utf8))
        weak let reference = engine
        engine = nil
        #expect(answer == true)
        #expect(reference == nil)
    }
}
