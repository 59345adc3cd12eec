import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Positions of an old server with numbers near this store's")
struct LocalSequencesTests {
    private let near: Int64 = 600_000_000

    private func filled(_ count: Int) async throws -> Fixture {
        let fixture = try await Fixture()
        for number in 0..<count { try await fixture.unified.push("d\(number)", "1-aa") }
        return fixture
    }

    @Test("Marked positions lead through the whole feed and past its end, with any filter", arguments: [false, true])
    func marks(activeOnly: Bool) async throws {
        let fixture = try await filled(25)
        try await fixture.unified.push("d3", "2-bb", "1-aa", deleted: true)
        try await fixture.unified.noteUpstreamReach(near)
        let own = try await fixture.unified.ownSequences()
        #expect(own.isDoubtful)
        var query = ChangesQuery()
        query.limit = 4
        query.activeOnly = activeOnly
        query.since = own.marked(.zero)
        var seen: [String] = []
        for _ in 0..<30 {
            var batch = try await fixture.unified.changes(query)
            if activeOnly { batch.end(at: FeedPosition(own.counter)) }
            for row in batch.rows {
                #expect(row.position.reached == 0)
                #expect(own.own(row.position) == row.position)
            }
            seen += batch.rows.map(\.id)
            // As a client would send it.
            let place = try #require(FeedPosition(batch.position.description))
            #expect(place == batch.position && own.own(place) == place, "\(batch.position)")
            query.since = place
            if batch.isCaughtUp { break }
        }
        #expect(Set(seen).count == (activeOnly ? 24 : 25) && seen.count == Set(seen).count)
        try await fixture.unified.push("new", "1-aa")
        let later = try await fixture.unified.ownSequences()
        query.since = try #require(later.own(query.since))
        #expect(try await fixture.unified.changes(query).rows.map(\.id) == ["new"])
    }

    @Test("The old server's reach is learned from its information, its feed and its checkpoints, and distant numbers are not stored")
    func learning() async throws {
        for way in 0..<4 {
            let fixture = try await filled(1)
            try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
            for number in [5, 499_999_999, near, near - 1] {
                let place = way == 2 ? "\(number):3" : String(number)
                switch way {
                case 0: try await fixture.unified.noteUpstreamReach(number)
                case 1, 2: _ = try await fixture.unified.upstreamPlaces(of: [UpstreamSequence(place)], in: "u")
                default:
                    let found = LocalDocument(
                        revision: 1, body: Array("{\"lastSequence\":\"\(place)\"}".utf8), modified: 0, upstreamRevision: "0-1")
                    _ = try await fixture.unified.inherit(found, .local, id: "c\(number)", replacing: nil)
                }
                #expect(try await fixture.unified.ownSequences().reach == (number < 500_000_000 ? 0 : near), "way \(way), \(place)")
            }
            // Its devices may still come when another server has replaced it.
            try await fixture.unified.beginUpstreamFeed(of: "v", since: nil)
            #expect(try await fixture.unified.ownSequences().isDoubtful)
        }
    }

    @Test("A number as high as this store's is no position of an old server far below, and no client counts as caught up because of it")
    func foreign() async throws {
        let fixture = try await filled(3)
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
        let places = try await fixture.unified.upstreamPlaces(of: ["7", "8", "9"].map { UpstreamSequence($0) }, in: "u")
        try await fixture.unified.noteUpstream(
            try zip(["d0", "d1", "d2"], places).map { UpstreamRow(id: $0, leaves: [try revision("1-aa")], place: $1) })
        let end = try await fixture.unified.lastSequence()
        #expect(try await fixture.unified.position(ofUpstream: UpstreamSequence("9")) == FeedPosition(end))
        // Of a store that was here before, or of one that was restored without its fence.
        for text in ["1000000500", "1000000000500", "1000000500:1000000400", "5::1000000500", "2147483647"] {
            #expect(try await fixture.unified.position(ofUpstream: UpstreamSequence(text)) == .zero, "\(text)")
        }
        try await fixture.unified.noteUpstreamReach(2_000_000_000)
        #expect(try await fixture.unified.position(ofUpstream: UpstreamSequence("2000000005")) == FeedPosition(end))
    }

    @Test("A device of an old server with numbers as high as this store's never counts as a client of this store")
    func collision() async throws {
        let fixture = try await filled(30)
        try await fixture.unified.beginUpstreamFeed(of: "u", since: nil)
        let rows = (1_000_000_001...1_000_000_010).map { UpstreamSequence(String($0)) }
        let places = try await fixture.unified.upstreamPlaces(of: rows, in: "u")
        try await fixture.unified.noteUpstream(
            try (0..<10).map { UpstreamRow(id: "d\($0)", leaves: [try revision("1-aa")], place: places[$0]) })
        let own = try await fixture.unified.ownSequences()
        // It has read 10 changes there. Here that number would mean 10 others, and d10 to d29 would never be offered.
        #expect(own.own(FeedPosition(SequenceNumber(1_000_000_010))) == .zero)
        #expect(own.own(FeedPosition(SequenceNumber(1_000_000_031))) == nil)
    }
}
