import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Foreign revision IDs")
struct ForeignRevisionTests {
    @Test("A foreign ID has a deterministic alias for 2.x+ clients: its generation and its SHA-1")
    func alias() throws {
        #expect(try revision("1-abc").modernAlias.text == "1-0aaef65f7fb7a1668e3db34ed51b2f51f9605175")
        #expect(try revision("1-abc").modernAlias != revision("1-abd").modernAlias)
        #expect(try revision("1-abcd").modernAlias.text == "1-abcd")
    }

    @Test("An alias in a history or proposal matches its revision")
    func matches() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "2-Foreign!", "1-abc", body: #"{"n":1}"#)
        let winner = try revision("2-Foreign!").modernAlias
        let root = try revision("1-abc").modernAlias
        let answers = try await fixture.unified.answer([
            Proposal(id: "a", revision: winner, parent: root),
            Proposal(id: "a", revision: revision("3-cc"), parent: winner),
            Proposal(id: "a", revision: revision("3-cc"), parent: root),
        ])
        #expect(answers == [.known, .wanted, .conflict(current: winner)])
        let outcome = try await fixture.unified.pushModern("a", "3-cc", winner.text, root.text, body: #"{"n":2}"#)
        #expect(outcome.isNew)
        #expect(try await fixture.unified.revision(.current, of: "a").history.map(\.text) == ["3-cc", "2-Foreign!", "1-abc"])
        #expect(try await fixture.unified.leaves("a") == ["3-cc"])
        try await fixture.expectSound()
    }

    @Test("A revision is readable by its alias, and a conflict names the alias")
    func reads() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-abc", body: #"{"n":1}"#)
        let alias = try revision("1-abc").modernAlias
        #expect(try await fixture.unified.revision(.revision(alias), of: "a").revision.text == "1-abc")
        let error = try await failure { try await fixture.unified.pushModern("a", "1-dd") }
        #expect(error.current == alias)
        #expect(try await fixture.unified.record("a").flags.contains(.foreign))
    }

    @Test("A push of a revision under its alias changes nothing")
    func repeated() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-abc")
        let alias = try revision("1-abc").modernAlias
        #expect(try await fixture.unified.pushModern("a", alias.text) == WriteOutcome(revision: revision("1-abc"), isNew: false))
        #expect(try await fixture.unified.record("a").tree.count == 1)
    }
}
