import Access
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient

/// The tables "Behavior following access revocation" and "Behavior if access is regained" of Couchbase Lite's documentation
/// (docs/protocol/modern-2x.md#auto-purge), row by row, from the replicator's side: with auto-purge, and without. The sync function includes
/// `requireAccess`.
@Suite("Access lost and regained, with the replicator", .timeLimit(.minutes(2)))
struct AccessTableTests {
    /// A server on which anna has the channel `c`, into which all documents go.
    private func pair() async throws -> ReplicationPair {
        let pair = try await ReplicationPair(
            there: {
                $0.collections.append(
                    CollectionConfiguration(name: .default, syncFunction: "function (doc) { requireAccess('c'); channel('c'); }"))
            })
        try await grant(["c"], pair)
        return pair
    }

    private func grant(_ channels: Set<String>, _ pair: ReplicationPair) async throws {
        var change = AccountChange()
        change.channels = channels
        try await Accounts(pair.remote.store).put(.user("anna"), change)
    }

    private func configuration(_ pair: ReplicationPair, _ type: ReplicatorType, purges: Bool) -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(target: pair.endpoint(as: .user("anna")))
        configuration.replicatorType = type
        if !purges { configuration.enableAutoPurge = false }
        configuration.addCollection(pair.here)
        return configuration
    }

    private func ids(_ keyspace: Keyspace) async throws -> [String] {
        try await keyspace.state().map { String($0.prefix { $0 != "@" }) }
    }

    @Test("Auto-purge is on by default")
    func defaultValue() async throws {
        #expect(try await ReplicatorConfiguration(target: pair().endpoint()).enableAutoPurge)
    }

    @Test(
        "With a pull alone, lost access purges pulled documents if auto-purge is on, and is reported; regained access pulls them again",
        arguments: [true, false])
    func pull(purges: Bool) async throws {
        let pair = try await pair()
        let configuration = configuration(pair, .pull, purges: purges)
        for id in ["1", "2"] { try await pair.there.put(id, "{}") }
        #expect(try await pair.run(configuration).documents == ["<1", "<2"])
        try await grant([], pair)
        // The write happens while the replicator does not run.
        try await pair.there.put("3", "{}")
        #expect(try await pair.run(configuration).documents == ["<1-", "<2-"])
        #expect(try await ids(pair.here) == (purges ? [] : ["1", "2"]))
        #expect(try await pair.run(configuration).documents == [])
        try await grant(["c"], pair)
        #expect(try await pair.run(configuration).documents == (purges ? ["<1", "<2", "<3"] : ["<3"]))
        try await pair.there.put("1", #"{"updated":true}"#)
        #expect(try await pair.run(configuration).documents == ["<1"])
        #expect(try await pair.here.state() == pair.there.state())
    }

    @Test(
        "With a push alone, lost access rejects pushes and purges nothing; regained access pushes after a reset or a change",
        arguments: [true, false])
    func push(purges: Bool) async throws {
        let pair = try await pair()
        let configuration = configuration(pair, .push, purges: purges)
        try await pair.here.put("1", "{}")
        #expect(try await pair.run(configuration).documents == [">1"])
        try await grant([], pair)
        try await pair.here.put("1", #"{"updated":true}"#)
        try await pair.here.put("new", "{}")
        #expect(try await pair.run(configuration).documents == [">1 10403", ">new 10403"])
        #expect(try await ids(pair.here) == ["1", "new"])
        #expect(try await ids(pair.there) == ["1"])
        try await grant(["c"], pair)
        #expect(try await pair.run(configuration).documents == [])
        try await pair.here.put("new", #"{"updated":true}"#)
        #expect(try await pair.run(configuration).documents == [">new"])
        #expect(try await pair.run(configuration, reset: true).documents.contains(">1"))
        #expect(try await pair.here.state() == pair.there.state())
    }

    @Test(
        "With both directions, lost access purges pulled documents and rejects pushes; regained access pulls again, and pushes after a reset",
        arguments: [true, false])
    func pushAndPull(purges: Bool) async throws {
        let pair = try await pair()
        let configuration = configuration(pair, .pushAndPull, purges: purges)
        try await pair.there.put("1", "{}")
        #expect(try await pair.run(configuration).documents == ["<1"])
        try await grant([], pair)
        try await pair.here.put("new", "{}")
        #expect(try await pair.run(configuration).documents == ["<1-", ">new 10403"])
        #expect(try await ids(pair.here) == (purges ? ["new"] : ["1", "new"]))
        #expect(try await ids(pair.there) == ["1"], "a purge is not pushed as a deletion")
        try await grant(["c"], pair)
        #expect(try await pair.run(configuration).documents == (purges ? ["<1"] : []))
        try await pair.here.put("later", "{}")
        #expect(try await pair.run(configuration).documents == [">later"])
        #expect(try await pair.run(configuration, reset: true).documents.contains(">new"))
        #expect(try await pair.here.state() == pair.there.state())
    }
}
