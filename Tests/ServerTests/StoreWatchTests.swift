import Coordination
import Logging
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("The watch of a store on another machine")
struct StoreWatchTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let news = StoreWatch.News(configuration: nil, stage: nil, devices: nil)

    @Test("A store whose answer is late counts as lost at once, also before the watch looks again; an answer ends that")
    func late() async {
        let time = Lock(ContinuousClock.now)
        let answers = Promise<StoreWatch.News, Never>()
        let ended = Lock<ContinuousClock.Instant?>(nil)
        let watch = StoreWatch(
            asking: { await answers.value() }, endWaits: { instant in ended.withLock { $0 = instant } }, clock: { time.withLock(\.self) },
            logger: logger)
        #expect(!watch.isCutOff)
        watch.start({ _ in }, news: { _ in })
        time.withLock { $0 += .seconds(6) }
        #expect(!watch.isCutOff)
        time.withLock { $0 += .milliseconds(1) }
        #expect(watch.isCutOff && watch.reason == "the server does not answer")
        // Waits that are as old as the silence.
        await eventually { ended.withLock { $0 == time.withLock { $0 - .seconds(6) } } }
        answers.resolve(.success(Self.news))
        await eventually { !watch.isCutOff }
        await watch.stop()
        time.withLock { $0 += .seconds(60) }
        #expect(!watch.isCutOff, "it is not watched any more")
    }

    @Test("A failure of the store is told once, and its end, too")
    func lossAndReturn() async {
        let fails = Lock(true)
        let changes = Lock([Bool]())
        let watch = StoreWatch(
            asking: {
                if fails.withLock(\.self) { throw StorageError(.inputOutput, "away") }
                return Self.news
            }, logger: logger)
        watch.start({ isLost in changes.withLock { $0.append(isLost) } }, news: { _ in })
        await eventually { watch.reason == "away" }
        fails.withLock { $0 = false }
        await eventually { !watch.isCutOff }
        #expect(changes.withLock(\.self) == [true, false])
        await watch.stop()
    }

    @Test("Operators are told of a gap in the sequences that comes while the store is watched, once")
    func gap() async {
        let restores = Lock(RestoreHistory(numbers: [1, 1]))
        let answers = Counter()
        let log = TestLog()
        let watch = StoreWatch(
            asking: {
                answers.add(1)
                return StoreWatch.News(configuration: nil, stage: nil, devices: nil, restores: restores.withLock(\.self))
            }, logger: log.logger)
        watch.start({ _ in }, news: { _ in })
        await eventually { answers.value >= 2 }
        #expect(log.lines.isEmpty)
        restores.withLock { $0 = RestoreHistory(numbers: [1, 1, 2, 2]) }
        let before = answers.value
        await eventually { answers.value >= before + 3 }
        await watch.stop()
        #expect(log.lines.count { $0.contains("the counter of changes was raised") } == 1)
    }

    @Test("A store on this machine is not watched")
    func local() async {
        let time = Lock(ContinuousClock.now)
        let watch = StoreWatch(asking: nil, clock: { time.withLock(\.self) }, logger: logger)
        watch.start({ _ in Issue.record("nobody asks it") }, news: { _ in })
        time.withLock { $0 += .seconds(60) }
        #expect(!watch.isCutOff)
        await watch.stop()
    }
}
