import Testing

@testable import Scripting

@Suite("The queue of the script workers")
struct FairJobQueueTests {
    private func job(_ id: UInt64) -> ScriptJob { ScriptJob(id: id, run: { _ in {} }, refuse: { _ in }) }

    @Test(
        "A database is the text before the first dot or blank",
        arguments: [("db", "db"), ("db.conflicts", "db"), ("db route 1 to a.b", "db"), ("", "")])
    func share(owner: String, share: String) {
        #expect(FairJobQueue.share(of: owner) == share)
    }

    @Test("Calls of one database run in order, and the database with the fewest running calls is next")
    func order() {
        var line = FairJobQueue()
        for id in 1...4 { line.add(job(UInt64(id)), to: "a") }
        line.add(job(5), to: "b")
        line.add(job(6), to: "c")
        var taken: [UInt64] = []
        func take() { if let next = line.dequeue() { taken.append(next.job.id) } }
        take()
        #expect(line.isStarved("b") && !line.isStarved("a") && line.hasStarved)
        take()
        take()
        #expect(!line.hasStarved && line.count == 3)
        line.add(job(7), to: "b")
        line.finish("c")
        take()
        line.finish("b")
        take()
        take()
        take()
        #expect(taken == [1, 5, 6, 2, 7, 3, 4])
        #expect(line.dequeue() == nil)
        #expect(line.count == 0)
    }

    @Test("A waiting call can be removed")
    func remove() {
        var line = FairJobQueue()
        for id in 1...3 { line.add(job(UInt64(id)), to: id == 2 ? "b" : "a") }
        #expect(line.remove(2)?.id == 2)
        #expect(line.remove(2) == nil)
        #expect(!line.isStarved("b"))
        _ = line.dequeue()
        #expect(line.remove(1) == nil)
        #expect(line.count == 1)
        #expect(line.removeAll().map(\.id) == [3])
        #expect(line.count == 0 && line.dequeue() == nil)
    }
}
