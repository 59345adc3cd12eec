import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Hidden collections")
struct HiddenCollectionTests {
    private func fixture() async throws -> Fixture {
        try await Fixture {
            try $0.add("s.secret", hidden: true)
            try $0.route(.idPrefix("s::"), to: "s.secret", strip: true)
        }
    }

    @Test("Documents of hidden collections are not in the unified keyspace")
    func hidden() async throws {
        let fixture = try await fixture()
        try await fixture.collection("s.secret").pushModern("1", "1-aa")
        #expect(try await fixture.unified.feed() == [])
        #expect(try await fixture.unified.current("1") == nil)
        #expect(try await fixture.unified.counts().live == 0)
        #expect(try await fixture.collection("s.secret").feed() == ["1@1-aa"])
        try await fixture.expectSound()
    }

    @Test("Legacy writes that are routed to a hidden collection are stored there, also later ones")
    func writes() async throws {
        let fixture = try await fixture()
        let secret = try fixture.collection("s.secret")
        try await fixture.unified.push("s::1", "1-aa", body: #"{"n":1}"#)
        try await fixture.unified.push("s::1", "2-bb", "1-aa", body: #"{"n":2}"#)
        #expect(try await secret.current("1") == #"2-bb {"n":2}"#)
        #expect(try await fixture.unified.current("s::1") == nil)
        #expect(try await fixture.unified.feed() == [])
        try await fixture.expectSound()
    }

    @Test("A document in a hidden collection needs no qualified ID")
    func sameID() async throws {
        let fixture = try await fixture()
        try await fixture.unified.push("1", "1-aa")
        try await fixture.collection("s.secret").pushModern("1", "1-bb")
        #expect(try await fixture.unified.feed() == ["1@1-aa"])
        #expect(try await fixture.collection("s.secret").feed() == ["1@1-bb"])
        try await fixture.expectSound()
    }
}
