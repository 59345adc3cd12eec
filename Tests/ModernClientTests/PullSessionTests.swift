import Documents
import TestSupport
import Testing

@testable import ModernClient

@Suite("State of a collection's pull")
struct PullSessionTests {
    private func row(_ sequence: String, _ id: String, _ revision: String = "1-aa") -> RemoteChange {
        RemoteChange(sequence: sequence, id: id, revision: revision)
    }

    private func text(_ answer: (body: [UInt8], wanted: Int)) -> String {
        "\(String(decoding: answer.body, as: UTF8.self)) \(answer.wanted)"
    }

    @Test("The reply to rows names ancestors, and omits zeros at the end")
    func answers() throws {
        let ancestor = try #require(RevisionID("1-bb"))
        var pull = PullSession(checkpoint: nil)
        #expect(text(pull.announced([], [])) == "[] 0")
        #expect(
            text(
                pull.announced(
                    [row("1", "a"), row("2", "b"), row("3", "c", "2-cc"), row("4", "d"), row("5", "e")],
                    [.known, .wanted(ancestors: []), .wanted(ancestors: [.tree(ancestor), .tree(ancestor)]), .refused, .removed]))
                == #"[0,[],["1-bb","1-bb"]] 2"#)
        #expect(pull.progress.checkpoint == "1" && pull.pending == 3)
        #expect(text(pull.announced([row("6", "f")], [.known])) == "[] 0")
    }

    @Test("The checkpoint stays before the first unfinished row, in whatever order rows finish")
    func checkpoints() {
        for order in [["1", "2", "3"], ["3", "2", "1"], ["2", "3", "1"]] {
            var pull = PullSession(checkpoint: "0")
            _ = pull.announced(["1", "2", "3"].map { row($0, "d\($0)") }, Array(repeating: .wanted(ancestors: []), count: 3))
            var done: Set<String> = []
            for sequence in order {
                pull.arrived("d\(sequence)")
                pull.finish(sequence)
                done.insert(sequence)
                let last = ["1", "2", "3"].prefix { done.contains($0) }.last
                #expect(pull.progress.checkpoint == last ?? "0")
            }
            #expect(pull.pending == 0)
        }
    }

    @Test("A requested revision is not requested again before it has arrived; a newer revision is")
    func duplicates() {
        var pull = PullSession(checkpoint: nil)
        let wanted = PullSession.RowStatus.wanted(ancestors: [])
        #expect(
            pull.announced([row("1", "a"), row("1", "a"), row("2", "a"), row("3", "a", "2-bb")], [wanted, wanted, wanted, wanted]).wanted
                == 2)
        #expect(pull.progress.checkpoint == nil)
        pull.arrived("a")
        #expect(pull.announced([row("4", "a")], [wanted]).wanted == 1)
    }

    @Test("A document is awaited until each of its requested revisions has arrived")
    func awaits() {
        var pull = PullSession(checkpoint: nil)
        let wanted = PullSession.RowStatus.wanted(ancestors: [])
        #expect(!pull.awaits("a"))
        _ = pull.announced([row("1", "a"), row("2", "a", "2-bb"), row("3", "b")], [wanted, wanted, .known])
        #expect(pull.awaits("a") && !pull.awaits("b"))
        pull.arrived("a")
        #expect(pull.awaits("a"))
        pull.arrived("a")
        pull.arrived("a")
        #expect(!pull.awaits("a"))
    }

    @Test("An abandoned row holds back the checkpoint and not the pull, and may still arrive")
    func abandoned() {
        var pull = PullSession(checkpoint: nil)
        _ = pull.announced([row("1", "a"), row("2", "b")], [.wanted(ancestors: []), .wanted(ancestors: [])])
        pull.abandon("1")
        pull.abandon("1")
        pull.finish("2")
        #expect(pull.pending == 0 && pull.progress.checkpoint == nil)
        pull.finish("1")
        #expect(pull.pending == 0 && pull.progress.checkpoint == "2")
    }

    @Test("Unannounced and finished rows change nothing")
    func strays() {
        var pull = PullSession(checkpoint: "7")
        pull.finish("1")
        pull.abandon("9")
        pull.arrived("x")
        #expect(pull.pending == 0 && pull.progress.checkpoint == "7")
        _ = pull.announced([row("8", "a")], [.wanted(ancestors: [])])
        pull.finish("8")
        pull.finish("8")
        pull.abandon("8")
        #expect(pull.pending == 0 && pull.progress.checkpoint == "8")
        #expect(!pull.isCaughtUp)
        pull.caughtUp()
        pull.caughtUp()
        #expect(pull.isCaughtUp)
    }

    @Test("Repeated and reordered rows with any result never move the checkpoint past an unfinished row", arguments: 0..<60)
    func anyEvents(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pull = PullSession(checkpoint: nil)
        var open: [String: Int] = [:]
        var order: [String] = []
        for step in 0..<300 {
            let sequence = "\(generator.once(in: 5) ? Int.random(in: 0...step, using: &generator) : step)"
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let change = row(sequence, "d\(Int.random(in: 0..<20, using: &generator))", "\(step + 1)-aa")
                let statuses: [PullSession.RowStatus] = [.wanted(ancestors: []), .wanted(ancestors: []), .known, .removed, .refused]
                let status = statuses.randomElement(using: &generator) ?? .known
                _ = pull.announced([change], [status])
                if status == .removed || status == .wanted(ancestors: []) {
                    open[sequence, default: 0] += 1
                    if !order.contains(sequence) { order.append(sequence) }
                }
            case 2, 3:
                guard let done = open.keys.sorted().randomElement(using: &generator), let count = open[done] else { continue }
                pull.finish(done)
                open[done] = count > 1 ? count - 1 : nil
                if count == 1 { order.removeAll { $0 == done } }
            default:
                pull.finish("nobody knows \(step)")
                pull.abandon("nobody knows \(step)")
            }
            #expect(pull.pending == open.values.reduce(0, +))
            for sequence in order { #expect(pull.progress.isPending(sequence)) }
            if let checkpoint = pull.progress.checkpoint, open[checkpoint] != nil {
                // A row of the same sequence was finished before this one arrived.
                #expect(order.contains(checkpoint))
            }
        }
        for (sequence, count) in open { for _ in 0..<count { pull.finish(sequence) } }
        #expect(pull.pending == 0)
    }
}
