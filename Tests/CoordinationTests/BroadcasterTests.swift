import Coordination
import Testing

@Suite("Elements for many subscribers")
struct BroadcasterTests {
    private let executor = StepExecutor()
    private let log = Log()

    private func read(_ stream: AsyncStream<Int>, as name: String) -> Task<Void, Never> {
        executor.start { [log] in
            for await element in stream { log.add("\(name)\(element)") }
            log.add("\(name) end")
        }
    }

    @Test("Each subscriber gets the elements from its subscription on, in their order")
    func order() {
        var broadcaster = Broadcaster<Int>(capacity: 10)
        broadcaster.send(1)
        _ = read(broadcaster.subscribe(), as: "a")
        broadcaster.send(2)
        executor.run()
        _ = read(broadcaster.subscribe(beginningWith: 0), as: "b")
        broadcaster.send(3)
        executor.run()
        broadcaster.finish()
        executor.run()
        #expect(log.entries.filter { $0.hasPrefix("a") } == ["a2", "a3", "a end"])
        #expect(log.entries.filter { $0.hasPrefix("b") } == ["b0", "b3", "b end"])
    }

    @Test("A slow subscriber loses the oldest elements, never the latest, also at the end")
    func capacity() {
        var broadcaster = Broadcaster<Int>(capacity: 2)
        let stream = broadcaster.subscribe(beginningWith: 0)
        for number in 1...5 { broadcaster.send(number) }
        broadcaster.finish()
        _ = read(stream, as: "a")
        #expect(log.entries == ["a4", "a5", "a end"])
    }

    @Test("A cancelled subscriber ends, and the others go on")
    func cancellation() {
        var broadcaster = Broadcaster<Int>(capacity: 10)
        let cancelled = read(broadcaster.subscribe(), as: "a")
        _ = read(broadcaster.subscribe(), as: "b")
        executor.cancel(cancelled)
        broadcaster.send(1)
        executor.run()
        broadcaster.send(2)
        executor.run()
        #expect(log.entries == ["a end", "b1", "b2"])
    }

    @Test("A sequence that is released or finished does not hold up the others")
    func released() {
        var broadcaster = Broadcaster<Int>(capacity: 1)
        _ = broadcaster.subscribe()
        let stream = broadcaster.subscribe()
        broadcaster.send(1)
        broadcaster.send(2)
        broadcaster.finish()
        broadcaster.send(3)
        _ = read(stream, as: "a")
        #expect(log.entries == ["a2", "a end"])
    }
}
