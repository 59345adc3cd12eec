import TestSupport
import Testing

@testable import LegacyClient

@Suite("A feed window that restores the order of a feed")
struct FeedWindowTests {
    @Test("Entries that arrive in any order are ready in order and as early as possible, also where some never arrive", arguments: 0..<50)
    func ordered(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = FeedWindow<Int>(isOrdered: true)
        var written: [Int] = []
        var known: Set<Int> = []
        let lost = Set((0..<100).filter { _ in Int.random(in: 0..<5, using: &random) == 0 })
        for place in (0..<100).shuffled(using: &random) {
            if lost.contains(place) { window.pass(place) } else { window.add(place, size: 10, at: place) }
            known.insert(place)
            let head = (0...100).first { !known.contains($0) }
            #expect(window.head == head)
            #expect(window.waitingSize == known.subtracting(lost).count { $0 >= window.head } * 10)
            if Bool.random(using: &random) { written += window.takeReady() }
        }
        written += window.takeReady()
        #expect(written == (0..<100).filter { !lost.contains($0) })
        #expect(window.readySize == 0 && window.waitingSize == 0)
    }

    @Test("An unfilled place delays only the entries after it")
    func waits() {
        var window = FeedWindow<String>(isOrdered: true)
        window.add("c", size: 3, at: 2)
        window.add("a", size: 1, at: 0)
        #expect(window.takeReady() == ["a"] && window.waitingSize == 3)
        window.pass(1)
        #expect(window.readySize == 3 && window.takeReady() == ["c"])
    }

    @Test("A repeated entry, or one whose place was passed, does not wait")
    func late() {
        var window = FeedWindow<String>(isOrdered: true)
        window.pass(0)
        window.add("late", size: 1, at: 0)
        window.add("twice", size: 1, at: 5)
        window.add("again", size: 1, at: 5)
        #expect(window.takeReady() == ["late", "again"])
    }

    @Test("When the order is abandoned, all waiting entries are ready in order, and missing ones are ready when they arrive")
    func release() {
        var window = FeedWindow<Int>(isOrdered: true)
        for place in [9, 3, 5] { window.add(place, size: 1, at: place) }
        window.release()
        #expect(window.takeReady() == [3, 5, 9] && window.waitingSize == 0)
        window.add(6, size: 1, at: 6)
        #expect(window.takeReady() == [])
        for place in [0, 1, 2, 4] { window.add(place, size: 1, at: place) }
        #expect(window.takeReady() == [0, 1, 2, 4, 6] && window.head == 7)
    }

    @Test("Without an order, every entry is ready at once")
    func unordered() {
        var window = FeedWindow<Int>(isOrdered: false)
        for place in [4, 0, 4] { window.add(place, size: 2, at: place) }
        window.pass(7)
        #expect(window.readySize == 6 && window.waitingSize == 0 && window.takeReady() == [4, 0, 4])
    }
}
