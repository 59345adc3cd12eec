import Documents
import Testing

@testable import LegacyClient

@Suite("The revisions that a server is asked for")
struct RevsDiffQueryTests {
    private func leaf(_ id: String, _ revision: String) throws -> LocalRevisionReader.Leaf {
        LocalRevisionReader.Leaf(id: id, revision: try #require(RevisionID(revision)))
    }

    @Test("Each revision is asked for once, because CouchDB reports the second mention of one as missing")
    func once() throws {
        let leaves = [try leaf("a", "1-aa"), try leaf("b", "1-aa"), try leaf("a", "2-bb"), try leaf("a", "1-aa"), try leaf("b", "1-aa")]
        let asked = RevsDiffQuery.asked(leaves)
        #expect(asked.map(\.id) == ["a", "b"])
        #expect(asked.map { $0.revisions.map(\.text) } == [["1-aa", "2-bb"], ["1-aa"]])
    }
}
