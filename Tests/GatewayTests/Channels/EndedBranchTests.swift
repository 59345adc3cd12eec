import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Ended branches for readers of some channels")
struct EndedBranchTests {
    @Test("A reader of a document gets the end of its branches, and nothing else of branches in other channels")
    func tombstones() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.push("1", "1-bb", body: #"{"channels":["a"]}"#)
        try await fixture.unified.push("1", "1-aa", body: #"{"channels":["a"]}"#)
        try await fixture.unified.push("1", "2-aa", "1-aa", body: #"{"why":"secret"}"#, deleted: true)
        try await fixture.unified.push("1", "1-99", body: #"{"channels":["x"]}"#)
        let anna = fixture.unified.seen(by: "anna")
        try await anna.read { snapshot in
            let document = try #require(try snapshot.document("1"))
            #expect(document.winner.text == "1-bb")
            let ended = try #require(try document.content(of: try revision("2-aa")))
            #expect(ended.isDeleted && ended.body.properties == Array("{}".utf8) && ended.history.map(\.text) == ["2-aa", "1-aa"])
            #expect(try document.content(of: try revision("1-99")) == nil)
        }
        let all = try await fixture.unified.read { try $0.document("1")?.content(of: try revision("2-aa")) }
        #expect(all?.body.properties == Array(#"{"why":"secret"}"#.utf8))
    }
}
