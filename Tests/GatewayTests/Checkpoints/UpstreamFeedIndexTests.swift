import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Index of the legacy upstream's feed")
struct UpstreamFeedIndexTests {
    private func note(_ keyspace: Keyspace, _ rows: (String, String)...) async throws {
        let places = try await keyspace.upstreamPlaces(of: rows.map { UpstreamSequence($0.1) }, in: "u")
        try await keyspace.noteUpstream(
            try zip(rows, places).map { row, place in
                UpstreamRow(id: row.0, leaves: [try revision("1-aa")], place: place)
            })
    }

    private func offered(_ keyspace: Keyspace, to client: String) async throws -> [String] {
        let place = try await keyspace.position(ofUpstream: UpstreamSequence(client))
        return try await keyspace.feed { $0.since = place }.map { String($0.prefix { $0 != "@" }) }
    }

    private func filled() async throws -> Fixture {
        let fixture = try await Fixture()
        for id in ["a", "b", "c"] { try await fixture.unified.push(id, "1-aa") }
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
        return fixture
    }

    @Test("Opaque sequences are looked up in the index")
    func tokens() async throws {
        let fixture = try await filled()
        try await note(fixture.unified, ("a", "1-x"), ("b", "2-y"), ("c", "3-z"))
        #expect(try await offered(fixture.unified, to: "1-x") == ["b", "c"])
        #expect(try await offered(fixture.unified, to: "3-z") == [])
        #expect(try await offered(fixture.unified, to: "3-q") == ["a", "b", "c"])
    }

    @Test("The position up to which everything is pulled is known: where the read begins, and then with each batch", arguments: ["", "-x"])
    func pulled(suffix: String) async throws {
        let fixture = try await filled()
        func position(_ number: Int) -> UpstreamSequence { UpstreamSequence("\(number)\(suffix)") }
        #expect(try await fixture.unified.pulledUpstream()?.text == "0")
        try await fixture.unified.beginUpstreamFeed(of: "u", since: position(3))
        #expect(try await fixture.unified.pulledUpstream() == position(3))
        try await note(fixture.unified, ("a", "4\(suffix)"))
        #expect(try await fixture.unified.pulledUpstream() == position(3))
        try await fixture.unified.noteUpstream([], upTo: position(4))
        #expect(try await fixture.unified.pulledUpstream() == position(4))
        try await fixture.unified.beginUpstreamFeed(of: "other", since: nil)
        #expect(try await fixture.unified.pulledUpstream()?.text == "0")
    }

    @Test("The latest opaque sequences are kept; a client with an older one starts from the beginning and misses nothing")
    func thinning() async throws {
        let fixture = try await Fixture { $0.limits.upstreamSequences = 3 }
        for id in ["a", "b", "c", "d", "e"] { try await fixture.unified.push(id, "1-aa") }
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
        try await note(fixture.unified, ("a", "1-v"), ("b", "2-w"))
        #expect(try await offered(fixture.unified, to: "1-v") == ["b", "c", "d", "e"])
        try await note(fixture.unified, ("c", "3-x"), ("d", "4-y"), ("e", "5-z"))
        #expect(try await offered(fixture.unified, to: "1-v") == ["a", "b", "c", "d", "e"])
        #expect(try await offered(fixture.unified, to: "2-w") == ["a", "b", "c", "d", "e"])
        #expect(try await offered(fixture.unified, to: "3-x") == ["d", "e"])
        #expect(try await offered(fixture.unified, to: "5-z") == [])
        // Shown documents stay known: only the names of positions are removed.
        try await fixture.unified.beginUpstreamFeed(of: "u", since: UpstreamSequence("5-z"))
        #expect(try await offered(fixture.unified, to: "4-y") == ["e"])
        try await fixture.expectSound()
    }

    @Test("Reading again from an opaque sequence removes the later ones, because the feed may continue differently")
    func goingBack() async throws {
        let fixture = try await filled()
        try await note(fixture.unified, ("a", "1-x"), ("b", "2-y"), ("c", "3-z"))
        try await fixture.unified.beginUpstreamFeed(of: "u", since: UpstreamSequence("1-x"))
        #expect(try await offered(fixture.unified, to: "3-z") == ["a", "b", "c"])
        #expect(try await offered(fixture.unified, to: "1-x") == ["b", "c"])
        try await note(fixture.unified, ("c", "2-v"), ("b", "3-z"))
        #expect(try await offered(fixture.unified, to: "3-z") == [])
        #expect(try await offered(fixture.unified, to: "2-v") == ["b", "c"])
    }

    @Test("A feed that goes back by itself, as when a cluster's shards move, starts a new index")
    func rewind() async throws {
        let fixture = try await filled()
        try await note(fixture.unified, ("a", "5-x"), ("b", "6-y"))
        try await note(fixture.unified, ("c", "4-z"))
        #expect(try await offered(fixture.unified, to: "6-y") == ["a", "b", "c"])
        try await note(fixture.unified, ("a", "5-w"), ("b", "6-v"))
        #expect(try await offered(fixture.unified, to: "6-v") == [])
    }

    @Test("Rows that were read before a removal are not recorded after it")
    func eras() async throws {
        let fixture = try await filled()
        let old = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence("1-x")], in: "u")
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
        try await note(fixture.unified, ("b", "1-b"), ("c", "2-c"))
        try await fixture.unified.noteUpstream([UpstreamRow(id: "a", leaves: [try revision("1-aa")], place: try #require(old.first))])
        #expect(try await offered(fixture.unified, to: "2-c") == ["a", "b", "c"])
    }

    @Test("The index of another upstream is removed, and so are positions behind the point where reading continues")
    func others() async throws {
        let fixture = try await filled()
        try await note(fixture.unified, ("a", "1"), ("b", "2"), ("c", "3"))
        #expect(try await offered(fixture.unified, to: "2") == ["c"])
        try await fixture.unified.beginUpstreamFeed(of: "u", since: UpstreamSequence("3"))
        #expect(try await offered(fixture.unified, to: "2") == ["c"])
        // A server whose feed continues at an earlier position may have been restored from a backup.
        try await fixture.unified.beginUpstreamFeed(of: "u", since: UpstreamSequence("1"))
        #expect(try await offered(fixture.unified, to: "3") == ["b", "c"])
        try await fixture.unified.beginUpstreamFeed(of: "v", since: UpstreamSequence("1"))
        #expect(try await offered(fixture.unified, to: "2") == ["a", "b", "c"])
        #expect(try await fixture.unified.upstreamPlaces(of: [UpstreamSequence("1")], in: "u").isEmpty)
    }

    @Test("A document with a leaf that the upstream has not shown does not count as shown")
    func leaves() async throws {
        let fixture = try await filled()
        try await fixture.unified.push("b", "1-bb")
        try await note(fixture.unified, ("a", "1"), ("b", "2"), ("c", "3"))
        #expect(try await offered(fixture.unified, to: "3") == ["b"])
    }
}
