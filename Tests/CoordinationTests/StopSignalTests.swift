import Coordination
import Testing

@Suite("Signals to stop")
struct StopSignalTests {
    private let log = Log()

    @Test("An observer is called once: when the signal is raised, or at once if it was raised before")
    func observers() async {
        let signal = StopSignal()
        await signal.during {
            #expect(log.entries.isEmpty && !signal.isRaised)
            signal.raise()
            signal.raise()
            #expect(log.entries == ["a"] && signal.isRaised)
        } onRaise: { [log] in
            log.add("a")
        }
        await signal.during {
            #expect(log.entries == ["a", "b"])
        } onRaise: { [log] in
            log.add("b")
        }
    }

    @Test("The end of an operation, with a result or an error, ends the observation")
    func ends() async {
        let signal = StopSignal()
        let value = await signal.during {
            1
        } onRaise: { [log] in
            log.add("a")
        }
        #expect(value == 1)
        await #expect(throws: Fault.self) {
            try await signal.during {
                throw Fault("failed")
            } onRaise: { [log] in
                log.add("b")
            }
        }
        signal.raise()
        #expect(log.entries.isEmpty)
    }

    @Test("A signal follows each of others, and does not raise them")
    func following() {
        let (first, second) = (StopSignal(), StopSignal())
        let followers = [StopSignal(following: [first, second]), StopSignal(following: [second]), StopSignal(following: [])]
        first.raise()
        #expect(followers.map(\.isRaised) == [true, false, false])
        second.raise()
        #expect(followers.map(\.isRaised) == [true, true, false])
        let third = StopSignal()
        let own = StopSignal(following: [third])
        own.raise()
        #expect(!third.isRaised)
        #expect(StopSignal(following: [third, first]).isRaised)
    }

    @Test("A follower is released while the followed signal lives, and the signal may be raised then")
    func release() {
        let signal = StopSignal()
        weak var follower: StopSignal?
        do {
            let created = StopSignal(following: [signal])
            follower = created
            #expect(follower?.isRaised == false)
        }
        #expect(follower == nil)
        signal.raise()
    }

    @Test("An operation that the signal interrupts is cancelled, and ends with CancellationError whatever it throws")
    func interrupting() async {
        let (signal, gate, begun) = (StopSignal(), FlowGate(), Promise<Void, Never>())
        gate.close()
        let task = Task {
            try await signal.interrupting {
                begun.resolve()
                do { try await gate.pass() } catch { throw Fault("interrupted") }
            }
        }
        await begun.value()
        signal.raise()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("An operation of a raised signal is cancelled from its start")
    func raisedBefore() async {
        let signal = StopSignal()
        signal.raise()
        await #expect(throws: CancellationError.self) { try await signal.interrupting { try Task.checkCancellation() } }
        await #expect(throws: CancellationError.self) { try await signal.interrupting { throw Fault("failed") } }
        let value = try? await signal.interrupting { 1 }
        #expect(value == 1)
    }

    @Test("An operation that is not interrupted gives its value or its error")
    func uninterrupted() async throws {
        let signal = StopSignal()
        #expect(try await signal.interrupting { 1 } == 1)
        await #expect(throws: Fault.self) { try await signal.interrupting { throw Fault("failed") } }
    }

    @Test("The cancellation of the caller cancels the operation, also without the signal")
    func cancellation() async {
        let (signal, gate) = (StopSignal(), FlowGate())
        gate.close()
        let task = Task { try await signal.interrupting { try await gate.pass() } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!signal.isRaised)
    }

    @Test("Each of many observers is called exactly once, however the signal is raised")
    func manyTasks() async {
        for _ in 0..<50 {
            let signal = StopSignal()
            let calls = Count()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let raised = Promise<Void, Never>()
                        await signal.during {
                            if number % 10 == 0 { signal.raise() }
                            await raised.value()
                        } onRaise: {
                            calls.add(1)
                            raised.resolve()
                        }
                    }
                }
            }
            #expect(calls.value == 100)
        }
    }
}
