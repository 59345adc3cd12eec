import Access
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Repointed devices and their channels at the old server")
struct UpstreamVisibilityTests {
    /// Pulls documents from the old server, each at the next number of its feed.
    private func pull(_ fixture: Fixture, _ documents: (id: String, channels: [String])..., from first: Int64 = 1) async throws {
        if first == 1 { try await fixture.unified.beginUpstreamFeed(of: "u", since: nil) }
        for (offset, document) in documents.enumerated() {
            let revision = try await fixture.unified.put(document.id, channels: document.channels)
            let place = UpstreamSequence(String(first + Int64(offset)))
            let places = try await fixture.unified.upstreamPlaces(of: [place], in: "u")
            try await fixture.unified.noteUpstream(places.map { UpstreamRow(id: document.id, leaves: [revision], place: $0) })
        }
    }

    /// The rows for a device that comes with a position of the old server.
    private func rows(_ keyspace: Keyspace, from place: String) async throws -> [String] {
        try await keyspace.rows(since: try await keyspace.position(ofUpstream: UpstreamSequence(place)))
    }

    private func learn(_ keyspace: Keyspace, at place: String, seen: Set<String>, later: [String: Int64] = [:]) async throws {
        try await keyspace.learn(UpstreamVisibility(channels: seen, later: later), at: UpstreamSequence(place))
    }

    /// Reads a feed here, as any client.
    private func read(_ fixture: Fixture) async throws {
        try await fixture.user("reader")
        _ = try await fixture.unified.seen(by: "reader").rows()
    }

    private func admit(_ name: String, channels: Set<String>, isNew: Bool = true, to fixture: Fixture) async throws {
        var identity = VerifiedIdentity(authenticator: .upstream, userName: try #require(LoginName(name)), subject: name)
        identity.channels = channels
        identity.mayRegister = true
        _ = try await Accounts(fixture.store).admit(AccountMatch(identity: identity, userName: name, isNew: isNew))
    }

    @Test("Users, roles and the guest that were created after the documents, before the first feed, get one row per change")
    func broughtLate() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["a"]), ("4", ["s"]), ("5", ["a"]), ("6", ["s"]))
        try await fixture.user("anna", channels: ["a"])
        try await fixture.role("staff", channels: ["s"])
        try await fixture.user("rob", roles: ["staff"])
        try await Accounts(fixture.store).configureGuest(isEnabled: true, channels: ["*"])
        for (reader, seen, expected) in [
            (Principal.user("anna"), ["!", "a"] as Set, ["5"]), (.user("rob"), ["!", "s"], ["6"]), (.guest, ["*"], ["5", "6"]),
        ] {
            let keyspace = fixture.unified.seen(by: reader)
            try await learn(keyspace, at: "4", seen: seen)
            #expect(try await rows(keyspace, from: "4") == expected, "\(reader)")
            #expect(try await rows(keyspace, from: "6").count == keyspace.rows().count, "Nothing was learned about another position")
        }
        #expect(try await rows(fixture.unified, from: "4") == ["5", "6"])
    }

    @Test("Without knowledge about the old server's channels, everything is offered")
    func unlearned() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["a"]))
        try await fixture.user("anna", channels: ["a", "b"])
        let anna = fixture.unified.seen(by: "anna")
        #expect(try await rows(anna, from: "3") == ["1", "2", "3"])
        try await learn(anna, at: "3", seen: ["a"])
        #expect(try await rows(anna, from: "3").contains("2"))
        try await learn(anna, at: "3", seen: [])
        #expect(try await rows(anna, from: "3") == ["1", "2", "3"])
    }

    @Test(
        "A user who comes after others have read here keeps the old server's channels if it confirms them; devices with positions here do not"
    )
    func admitted() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["a"]), ("3", ["a"]))
        try await read(fixture)
        try await admit("anna", channels: ["a"], to: fixture)
        let place = try await fixture.unified.lastSequence()
        try await fixture.user("bob", channels: ["a"])
        for user in ["anna", "bob"] { try await learn(fixture.unified.seen(by: user), at: "2", seen: ["a"]) }
        #expect(try await rows(fixture.unified.seen(by: "anna"), from: "2") == ["3"])
        #expect(try await rows(fixture.unified.seen(by: "bob"), from: "2") == ["3"])
        #expect(try await fixture.unified.seen(by: "bob").rows(since: FeedPosition(place)) == ["1 again", "2 again", "3 again"])
    }

    @Test(
        "A channel that the old server granted after the user came here is sent as a whole to devices that are here, and not to those that had it there"
    )
    func givenLater() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["a"]), ("4", ["b"]))
        try await admit("anna", channels: ["a"], to: fixture)
        let anna = fixture.unified.seen(by: "anna")
        let here = try await anna.rows().count
        let place = try await fixture.unified.lastSequence()
        #expect(here == 2)
        try await anna.grantUpstream(["a", "b"])
        try await learn(anna, at: "3", seen: ["!", "a", "b"])
        #expect(try await rows(anna, from: "3") == ["4"])
        #expect(try await anna.rows(since: FeedPosition(place)).sorted() == ["2 again", "4 again"])
        try await learn(anna, at: "4", seen: ["!", "a", "b"])
        #expect(try await rows(anna, from: "4") == [])
        // A channel that is revoked and granted again is sent as a whole: the device may have read on in between.
        let between = try await anna.position(ofUpstream: UpstreamSequence("4"))
        try await admit("anna", channels: ["a"], isNew: false, to: fixture)
        try await anna.grantUpstream(["b"])
        #expect(between.reached == 4)
        #expect(try await anna.rows(since: between) == ["2 again", "4 again"])
        // The upstream's channels do not count for users who did not come from it.
        try await fixture.user("bob", channels: ["a"])
        let bob = fixture.unified.seen(by: "bob")
        try await bob.grantUpstream(["b"])
        #expect(try await bob.rows().sorted() == ["1 again", "3 again"])
    }

    @Test("Devices of a user whose name existed before have positions of this store")
    func recreated() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]))
        try await read(fixture)
        try await fixture.user("anna", channels: ["a"])
        let last = try await fixture.unified.seen(by: "anna").read().position
        try await Accounts(fixture.store).remove(.user("anna"))
        try await admit("anna", channels: ["a", "b"], to: fixture)
        #expect(try await fixture.unified.seen(by: "anna").rows(since: last).contains("2 again"))
    }

    @Test("A channel that was granted there after the position sends its older documents, and no others again")
    func grantedThere() async throws {
        let fixture = try await Fixture(hasReaders: false)
        // The grant of b was change 5 there.
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["a"]), ("4", ["b"]))
        try await pull(fixture, ("6", ["a"]), from: 6)
        try await read(fixture)
        try await admit("anna", channels: ["a", "b"], to: fixture)
        let anna = fixture.unified.seen(by: "anna")
        try await learn(anna, at: "3", seen: ["a"], later: ["b": 5])
        #expect(try await rows(anna, from: "3").sorted() == ["2 again", "4 again", "6"])
        // Her other device had b already.
        try await learn(anna, at: "5", seen: ["a", "b"])
        #expect(try await rows(anna, from: "5") == ["6"])
    }

    @Test("A grant right after the position, without a change between, sends the channel, too")
    func grantedNext() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["a"]))
        try await read(fixture)
        try await admit("anna", channels: ["a", "b"], to: fixture)
        let anna = fixture.unified.seen(by: "anna")
        try await learn(anna, at: "3", seen: ["a"], later: ["b": 4])
        #expect(try await rows(anna, from: "3") == ["2 again"])
    }

    @Test("Channels that documents grant count from the beginning while no feed was read here, and from the write afterwards")
    func givenByDocuments() async throws {
        let sync = #"function (doc) { channel(doc.channels); if (doc.to) { access(doc.to, doc.gives); role(doc.to, "role:staff"); } }"#
        let fixture = try await Fixture(hasReaders: false) {
            $0.collections.append(CollectionConfiguration(name: .default, syncFunction: sync))
        }
        try await fixture.user("anna", channels: ["a"])
        try await fixture.role("staff", channels: ["s"])
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["s"]))
        let grant = try await fixture.unified.put("g", channels: ["a"], with: #""to":"anna","gives":["b"]"#)
        let places = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence("4")], in: "u")
        try await fixture.unified.noteUpstream(places.map { UpstreamRow(id: "g", leaves: [grant], place: $0) })
        try await pull(fixture, ("5", ["b"]), from: 5)
        let anna = fixture.unified.seen(by: "anna")
        // The document that grants b was changed after the position; it had granted it long before.
        try await learn(anna, at: "3", seen: ["a", "b", "s"])
        #expect(try await rows(anna, from: "3") == ["g", "5"])
        try await fixture.unified.put("h", channels: ["a"], with: #""to":"anna","gives":["c"]"#)
        try await pull(fixture, ("7", ["c"]), from: 7)
        let position = try await anna.read().position
        try await pull(fixture, ("8", ["d"]), from: 8)
        try await fixture.unified.put("h", channels: ["a"], with: #""to":"anna","gives":["c","d"]"#)
        #expect(try await anna.rows(since: position) == ["8 again", "h"])
    }

    @Test("A channel that is granted here later, or lost and granted again, is sent whatever was learned")
    func grantedHere() async throws {
        let fixture = try await Fixture(hasReaders: false)
        try await pull(fixture, ("1", ["a"]), ("2", ["b"]), ("3", ["a"]))
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await learn(anna, at: "3", seen: ["a"])
        #expect(try await rows(anna, from: "3").isEmpty)
        let position = try await anna.read().position
        try await fixture.user("anna", channels: ["a", "b"])
        #expect(try await rows(anna, from: "3") == ["2 again"])
        #expect(try await anna.rows(since: position) == ["2 again"])
        try await fixture.user("anna", channels: ["b"])
        try await fixture.unified.put("1", channels: ["a"])
        let without = try await anna.read(since: position).position
        try await fixture.user("anna", channels: ["a", "b"])
        #expect(try await anna.rows(since: without) == ["3 again", "1 again"])
    }

    @Test("The channels are learned once per user and position, and not for administrators, other keyspaces, or without an old server")
    func asked() async throws {
        let fixture = try await Fixture(hasReaders: false) { try $0.add("s.c") }
        try await fixture.user("anna", channels: ["a", "*"])
        let (anna, place) = (fixture.unified.seen(by: "anna"), UpstreamSequence("1"))
        #expect(try await anna.untrackedChannels(at: place) == nil)
        try await pull(fixture, ("1", ["a"]))
        #expect(try await anna.untrackedChannels(at: place)?.channels == ["a"])
        #expect(try await anna.untrackedChannels(at: place)?.seesEverything == true)
        #expect(try await anna.untrackedChannels(at: UpstreamSequence("0")) == nil)
        #expect(try await fixture.unified.untrackedChannels(at: place) == nil)
        #expect(try await fixture.collection("s.c").seen(by: "anna").untrackedChannels(at: place) == nil)
        try await learn(anna, at: "1", seen: ["a"])
        #expect(try await anna.untrackedChannels(at: place) == nil)
        #expect(try await anna.untrackedChannels(at: UpstreamSequence("2"))?.channels == ["a"])
    }

    @Test("The stored rows have limits, per user and in total by age")
    func bounds() async throws {
        let fixture = try await Fixture(hasReaders: false)
        let found = try await fixture.store.write { transaction in
            try transaction.setUpstreamDevice("[]", before: nil, learned: .zero, of: "bob", at: "0:0", time: 0)
            for number in 0..<1_005 {
                try transaction.setUpstreamDevice("[]", before: nil, learned: .zero, of: "anna", at: "\(number)", time: Int64(number))
            }
            return try ["4", "5", "1004"].map { try transaction.upstreamDevice(of: "anna", at: $0) != nil }
                + [try transaction.upstreamDevice(of: "bob", at: "0:0") != nil]
        }
        #expect(found == [false, true, true, true])
    }
}
