import Storage
import Testing

@testable import Gateway

@Suite("Rule 2: which checkpoint counts, the one here or the old server's")
struct CheckpointInheritanceTests {
    private func document(_ revision: Int64, _ body: String, _ upstream: String?) -> LocalDocument {
        LocalDocument(revision: revision, body: Array(body.utf8), modified: 0, upstreamRevision: upstream)
    }

    @Test("None here: upstream's, with its revision")
    func first() {
        let found = document(5, "{}", "0-5")
        #expect(CheckpointInheritance(current: nil, found: found).next == found)
        #expect(CheckpointInheritance(current: nil, found: nil).next == nil)
    }

    @Test("One here, and upstream's is as it was: the client's own stays")
    func unchanged() {
        let current = document(9, "{\"n\":1}", "0-5")
        #expect(CheckpointInheritance(current: current, found: document(5, "{}", "0-5")).next == current)
        #expect(CheckpointInheritance(current: current, found: nil).next?.body == current.body)
    }

    @Test("Upstream's has changed meanwhile: the client was back there, and comes again")
    func backAndForth() {
        let found = document(8, "{\"n\":2}", "0-8")
        #expect(CheckpointInheritance(current: document(9, "{\"n\":1}", "0-5"), found: found).next == found)
        #expect(CheckpointInheritance(current: document(9, "{\"n\":1}", ""), found: found).next == found)
    }

    @Test("Nobody had looked: what is here stays, and what is there is remembered")
    func born() {
        let current = document(1, "{\"n\":1}", nil)
        #expect(CheckpointInheritance(current: current, found: document(8, "{}", "0-8")).next == document(1, "{\"n\":1}", "0-8"))
        #expect(CheckpointInheritance(current: current, found: nil).next == document(1, "{\"n\":1}", ""))
    }

    @Test("What was written here while upstream was asked stays")
    func race() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.unified.setLocalDocument(.local, id: "c", body: Array("{}".utf8), expected: nil)
        let kept = try await fixture.unified.inherit(document(5, "{\"n\":2}", "0-5"), id: "c", replacing: nil)
        #expect(kept?.revision == 1)
    }
}
