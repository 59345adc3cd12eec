import Access
import Documents
import Storage
import Testing

@testable import Gateway

/// Commands write into a store before a bridge serves it, often without the bridge's functions.
@Suite("A store that was never served")
struct FirstServingTests {
    private static let byOwner = "function (doc) { channel(doc.owner); if (doc.grant) access(doc.grant, 'granted'); }"

    private func configure(_ configuration: inout DatabaseConfiguration, _ function: String?) {
        configuration.collections = [CollectionConfiguration(name: .default, syncFunction: function)]
    }

    /// A store that a command has filled, with a sync function or with the default one.
    private func written(by function: String?) async throws -> Fixture {
        let fixture = try await Fixture(use: .added) { configure(&$0, function) }
        let bodies = [
            ("1", #"{"owner":"anna","channels":["old"]}"#), ("2", #"{"owner":"bob","channels":["old"]}"#), ("3", #"{"owner":"granted"}"#),
            ("4", #"{"owner":"x","grant":"bob"}"#),
        ]
        for (id, body) in bodies { try await fixture.unified.edit(id, body: body) }
        try await fixture.unified.push("5", "2-a", "1-r", body: #"{"owner":"anna"}"#)
        try await fixture.unified.push("5", "2-b", "1-r", body: #"{"owner":"bob"}"#)
        return fixture
    }

    /// The rows of a new client of a user, ordered by ID.
    private func rows(of user: String, _ database: Database) async throws -> [String] {
        try await database.unified.seen(by: user).rows().map { $0.replacing(" again", with: "") }.sorted()
    }

    private func users(_ fixture: Fixture) async throws {
        try await fixture.user("anna", channels: ["anna", "old"])
        try await fixture.user("bob", channels: ["bob"])
    }

    @Test("Its functions evaluate the commands' documents before a client is served, and documents stay in their collections")
    func judged() async throws {
        let fixture = try await written(by: nil)
        try await users(fixture)
        let before = try await fixture.unified.record("1")
        let last = try await fixture.unified.lastSequence()
        let database = try await fixture.reopened { configure(&$0, Self.byOwner) }
        // Nothing is sent about channels in which the documents were never visible.
        #expect(try await rows(of: "anna", database) == ["1"])
        #expect(try await rows(of: "bob", database) == ["2", "3", "5"])
        let after = try await database.unified.record("1")
        #expect(after.sequence == before.sequence && after.winner == before.winner)
        #expect(try await database.unified.seen(by: "anna").rows(since: FeedPosition(last)) == [])
        #expect(try await database.resyncRun()?.state == .completed)
        // A later change of the function is reported, and not applied.
        let changed = try await fixture.reopened { configure(&$0, "function (doc) { channel('none'); }") }
        #expect(try await rows(of: "anna", changed) == ["1"])
        try await fixture.expectSound()
    }

    @Test("Documents that the served functions have evaluated are not evaluated again")
    func known() async throws {
        let fixture = try await written(by: Self.byOwner)
        try await users(fixture)
        let database = try await fixture.reopened { configure(&$0, Self.byOwner) }
        #expect(try await database.resyncRun() == nil)
        #expect(try await rows(of: "anna", database) == ["1"])
    }

    @Test("Documents that two functions have evaluated are evaluated again by the served one")
    func mixed() async throws {
        let fixture = try await written(by: "function (doc) { channel('old'); }")
        let second = try await fixture.reopened(use: .added) { configure(&$0, nil) }
        try await second.unified.edit("6", body: #"{"owner":"anna","channels":["old"]}"#)
        try await users(fixture)
        let database = try await fixture.reopened { configure(&$0, Self.byOwner) }
        #expect(try await rows(of: "anna", database) == ["1", "6"])
        #expect(try await rows(of: "bob", database) == ["2", "3", "5"])
        try await fixture.expectSound()
    }

    @Test("A process that crashes meanwhile leaves the evaluation to the next one")
    func interrupted() async throws {
        let fixture = try await written(by: nil)
        try await users(fixture)
        let first = try await fixture.reopened(use: .tried) { configure(&$0, Self.byOwner) }
        let run = try await first.beginResync([.default], asWritten: true)
        _ = try await first.resyncStep(run, limit: 2)
        #expect(try await first.resyncRun()?.state == .running)
        let database = try await fixture.reopened { configure(&$0, Self.byOwner) }
        #expect(try await database.resyncRun()?.processed == 5)
        #expect(try await rows(of: "bob", database) == ["2", "3", "5"])
        try await fixture.expectSound()
    }

    @Test("A store that was served with the default function keeps its results until a resync")
    func servedBefore() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.edit("1", body: #"{"owner":"anna","channels":["old"]}"#)
        try await users(fixture)
        let database = try await fixture.reopened { configure(&$0, Self.byOwner) }
        #expect(try await database.resyncRun() == nil)
        #expect(try await rows(of: "anna", database) == ["1"])
        #expect(try await rows(of: "bob", database) == [])
    }
}
