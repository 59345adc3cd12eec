import Testing

@testable import Soak

@Suite("The ledger of writes, compared with the store")
struct LedgerTests {
    private func document(_ number: Int, channel: String = "c1", type: String = "note") -> Truth.Document {
        Truth.Document(revision: "\(number)-abc", number: number, type: type, channels: [channel])
    }

    @Test("The store has to have an acknowledged edit, or a later one that was sent")
    func losses() {
        let ledger = WriteLedger()
        for number in 1...3 { ledger.send("a", number) }
        for number in 1...2 { ledger.acknowledge("a", number) }
        #expect(ledger.acknowledged == 2)
        #expect(Truth(["a": document(2)]).losses(of: ledger).isEmpty)
        #expect(Truth(["a": document(3)]).losses(of: ledger).isEmpty)
        #expect(Truth(["a": document(1)]).losses(of: ledger).count == 1)
        #expect(Truth([:]).losses(of: ledger).count == 1)
        #expect(Truth(["a": document(4)]).losses(of: ledger).count == 1)
    }

    @Test("A client has to have the last edit of each document of its channel and its collections")
    func gaps() {
        let truth = Truth(["a": document(2), "b": document(2, type: "order"), "c": document(2, channel: "c2")])
        let flat = Holding(.user(1), .number)
        let notes = Holding(.user(1), .number, scope: .notes)
        let all = Holding(.everything, .revision)
        for holding in [flat, notes] { holding.record("a", number: 2) }
        holdingOlder(flat)
        #expect(truth.gaps(of: flat) == ["b: 1 in place of 2"])
        #expect(truth.gaps(of: notes).isEmpty)
        #expect(truth.gaps(of: all).count == 3)
        for id in ["a", "b", "c"] { all.record(id, "2-abc") }
        #expect(truth.gaps(of: all).isEmpty)
    }

    /// The last edit in the store's order is not always the latest edit of the writer.
    private func holdingOlder(_ holding: Holding) {
        holding.record("a", number: 1)
        holding.record("b", number: 1)
    }

    @Test("Documents of a writer are edited in turn, deleted and created again, and an edit is repeated until it is acknowledged")
    func edits() throws {
        var documents = try EditedDocuments("writer", channels: ["c1"], count: 2, scope: .flat, seed: 1)
        let first = documents.edits(2)
        #expect(first.map(\.id) == ["writer-0", "writer-1"])
        #expect(documents.edits(2).map(\.history) == first.map(\.history))
        documents.acknowledge(first[0])
        let second = documents.edits(2)
        #expect(second.map(\.number) == [2, 1])
        #expect(second[0].history.dropFirst().first == first[0].history[0])
        #expect(second[0].parentVersion == first[0].version)
        var deleted = 0
        for _ in 0..<16 {
            for edit in documents.edits(1) {
                documents.acknowledge(edit)
                deleted += edit.isDeleted ? 1 : 0
            }
        }
        #expect(deleted == 2)
    }
}
