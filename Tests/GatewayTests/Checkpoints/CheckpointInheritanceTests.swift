import Storage
import Testing

@testable import Gateway

@Suite("Rule 2: choice between the local checkpoint and the old server's")
struct CheckpointInheritanceTests {
    private func document(_ revision: Int64, _ body: String, _ upstream: String?) -> LocalDocument {
        LocalDocument(revision: revision, body: Array(body.utf8), modified: 0, upstreamRevision: upstream)
    }

    @Test("Without a local checkpoint, the upstream's is used with its revision")
    func first() {
        let found = document(5, "{}", "0-5")
        #expect(CheckpointInheritance(current: nil, found: found).next == found)
        #expect(CheckpointInheritance(current: nil, found: nil).next == nil)
    }

    @Test("If the upstream's checkpoint is unchanged, the local one is used")
    func unchanged() {
        let current = document(9, "{\"n\":1}", "0-5")
        #expect(CheckpointInheritance(current: current, found: document(5, "{}", "0-5")).next == current)
        #expect(CheckpointInheritance(current: current, found: nil).next?.body == current.body)
    }

    @Test("If the upstream's checkpoint has changed, the client has been there, and the upstream's is used")
    func backAndForth() {
        let found = document(8, "{\"n\":2}", "0-8")
        #expect(CheckpointInheritance(current: document(9, "{\"n\":1}", "0-5"), found: found).next == found)
        #expect(CheckpointInheritance(current: document(9, "{\"n\":1}", ""), found: found).next == found)
    }

    @Test("If the upstream's checkpoint was never seen, the local one is used and the upstream's is recorded")
    func born() {
        let current = document(1, "{\"n\":1}", nil)
        #expect(CheckpointInheritance(current: current, found: document(8, "{}", "0-8")).next == document(1, "{\"n\":1}", "0-8"))
        #expect(CheckpointInheritance(current: current, found: nil).next == document(1, "{\"n\":1}", ""))
    }

    @Test("A checkpoint that is written here during the request to the upstream is kept")
    func race() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.unified.setLocalDocument(.local, id: "c", body: Array("{}".utf8), expected: nil)
        let kept = try await fixture.unified.inherit(document(5, "{\"n\":2}", "0-5"), .local, id: "c", replacing: nil)
        #expect(kept?.revision == 1)
    }
}
