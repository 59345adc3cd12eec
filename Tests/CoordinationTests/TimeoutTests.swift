import Coordination
import Testing

@Suite("Time limits, and threads for work that blocks")
struct TimeoutTests {
    /// A limit that no test reaches.
    private static let never = Duration.seconds(86_400)

    @Test("Work within the limit gives its value or its error")
    func inTime() async throws {
        let value = await withTimeout(Self.never) { 1 }
        #expect(value == 1)
        await #expect(throws: Fault.self) {
            try await withTimeout(Self.never) { () async throws -> Int in throw Fault("failed") }
        }
    }

    @Test("Work beyond the limit is cancelled, and has ended when the call returns")
    func late() async {
        let (gate, log) = (FlowGate(), Log())
        gate.close()
        let value = await withTimeout(.zero) {
            do { try await gate.pass() } catch { log.add("\(error)") }
            return 1
        }
        #expect(value == nil)
        #expect(log.entries == ["CancellationError()"])
    }

    @Test("The limit begins when its begin has come")
    func begin() async {
        let (begin, end) = (FlowGate(), FlowGate())
        begin.close()
        end.close()
        async let result = withTimeout(.zero, from: { try? await begin.pass() }) {
            try? await end.pass()
            return Task.isCancelled
        }
        begin.open()
        let value = await result
        #expect(value == nil)
        // Work that ends first ends the wait for the begin.
        begin.close()
        #expect(await withTimeout(.zero, from: { try? await begin.pass() }) { 1 } == 1)
    }

    @Test("A cancelled caller does not wait for the limit")
    func cancellation() async throws {
        let gate = FlowGate()
        gate.close()
        let task = Task {
            await withTimeout(Self.never) {
                try? await gate.pass()
                return 1
            }
        }
        task.cancel()
        let value = await task.value
        #expect(value == nil || value == 1)
    }

    @Test("Work on a new thread gives its value or its error")
    func thread() async throws {
        let value = await onNewThread { 1 }
        #expect(value == 1)
        await #expect(throws: Fault.self) { try await onNewThread { () throws -> Int in throw Fault("failed") } }
    }
}
