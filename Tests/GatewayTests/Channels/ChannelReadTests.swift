import Documents
import Gateway
import Storage
import TestSupport
import Testing

@Suite("Reads by channels")
struct ChannelReadTests {
    @Test("A hidden document gives the same error as a missing one")
    func hidden() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let revision = try await fixture.unified.put("1", channels: ["x"])
        for id in ["1", "nowhere"] {
            #expect(try await code { _ = try await anna.revision(.current, of: id) } == .notFound)
            #expect(try await code { _ = try await anna.revision(.revision(revision), of: id) } == .notFound)
            #expect(try await anna.read { try $0.document(id) == nil })
            let difference = try await anna.difference([(id, [revision])])
            #expect(difference.map(\.difference) == [RevisionsDifference(missing: [revision], possibleAncestors: [])])
            #expect(try await anna.answer([Proposal(id: id, revision: revision, parent: nil)]) == [.wanted])
        }
        var listed: [String] = []
        try await fixture.unified.put("2", channels: ["a"])
        listed = try await anna.read { snapshot in
            var ids: [String] = []
            try snapshot.list(ListRange(), limit: 10) {
                ids.append($0.id); return true
            }
            return ids
        }
        #expect(listed == ["2"])
    }

    @Test("A list has the requested length, whatever hidden documents are skipped")
    func listing() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        for number in 100..<400 { try await fixture.unified.put("\(number)", channels: [number % 7 == 0 ? "a" : "x"]) }
        let ids = try await fixture.unified.seen(by: "anna").read { snapshot in
            var ids: [String] = []
            try snapshot.list(ListRange(), limit: 20) {
                ids.append($0.id); return true
            }
            return ids
        }
        #expect(ids == (100..<400).filter { $0 % 7 == 0 }.prefix(20).map(String.init))
    }

    @Test(
        "A search for visible documents ends after a number of rows, and returns the position to continue from",
        arguments: [2, 3, 7, 8, 300, 301])
    func scanning(_ scan: Int) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        for number in 100..<400 { try await fixture.unified.put("\(number)", channels: [number % 7 == 0 ? "a" : "x"]) }
        var (range, found, steps) = (ListRange(), [String](), 0)
        while true {
            // The last document may be returned again.
            let (current, limit) = (range, 31 - found.count)
            let (ids, end) = try await fixture.unified.seen(by: "anna").read { snapshot in
                var ids: [String] = []
                let end = try snapshot.list(current, limit: limit, scan: scan, plan: .byIDs) {
                    ids.append($0.id)
                    return true
                }
                return (ids, end.next)
            }
            found += ids.filter { $0 != found.last }
            steps += 1
            guard let end else { break }
            range.from = end
        }
        let expected: [String] = (100..<400).filter { $0 % 7 == 0 }.prefix(30).map(String.init)
        #expect(Array(found.prefix(30)) == expected)
        #expect(steps >= 200 / scan && found.count <= 31)
    }

    @Test("A list by channels equals the list by IDs, in any range", arguments: 1...20 as ClosedRange<UInt64>)
    func byChannels(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        for _ in 0..<60 {
            let id = "\(Int.random(in: 10..<50, using: &generator))"
            let channels = ["a", "b", "x", "!"].filter { _ in generator.once(in: 3) }
            try await fixture.unified.put(id, channels: generator.once(in: 6) ? nil : channels)
        }
        for _ in 0..<20 {
            var bounds = (0..<2).map { _ in generator.once(in: 4) ? nil : "\(Int.random(in: 8..<52, using: &generator))" }
            let isDescending = generator.once(in: 2)
            bounds.sort { ($0 ?? "") < ($1 ?? "") }
            if isDescending { bounds.reverse() }
            let range = ListRange(
                from: bounds[0], to: bounds[1], includesTo: generator.once(in: 2), descending: isDescending,
                includesDeleted: generator.once(in: 2))
            let limit = generator.once(in: 2) ? 100 : Int.random(in: 1..<10, using: &generator)
            let lists = try await fixture.unified.seen(by: "anna").read { snapshot in
                try [ListEnd.Plan.byIDs, .byChannels].map { plan in
                    var rows: [String] = []
                    let end = try snapshot.list(range, limit: limit, plan: plan) {
                        rows.append("\($0.id) \($0.revision) \($0.sequence)")
                        return true
                    }
                    #expect(end.next == nil)
                    return rows
                }
            }
            #expect(lists[0] == lists[1])
        }
    }

    @Test("A reader of few of many documents is served by channels, and a reader of many by IDs")
    func sparse() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.user("bert", channels: ["x"])
        for number in 1_000..<2_100 { try await fixture.unified.put("\(number)", channels: [number % 500 == 99 ? "a" : "x"]) }
        let read = { (name: String, range: ListRange, plan: ListEnd.Plan) in
            try await fixture.unified.seen(by: name).read { snapshot in
                var ids: [String] = []
                let end = try snapshot.list(range, limit: 1_090, plan: plan) {
                    ids.append($0.id); return true
                }
                return (ids: ids, end: end)
            }
        }
        let first = try await read("anna", ListRange(), .open)
        #expect(first.ids == ["1099", "1599"])
        #expect(first.end.plan == .byChannels && first.end.next == "1999")
        let second = try await read("anna", ListRange(from: first.end.next), first.end.plan)
        #expect(second.ids == ["2099"])
        #expect(second.end.next == nil)
        let dense = try await read("bert", ListRange(), .open).end
        #expect(dense.next == "1999" && dense.plan == .byIDs)
        #expect(try await read("bert", ListRange(), .byIDs).ids.count == 1_090)
    }

    @Test("An ancestor in other channels is hidden from readers of the winner")
    func ancestors() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.user("boss", channels: ["x"])
        let secret = try await fixture.unified.put("1", channels: ["x"], with: #""secret":1"#)
        let open = try await fixture.unified.put("1", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        #expect(try await anna.body("1", open.text) == #"{"channels":["a"]}"#)
        #expect(try await anna.body("1", secret.text) == nil)
        #expect(try await fixture.unified.body("1", secret.text)?.contains("secret") == true)
    }

    @Test("A branch in other channels is hidden, and visible where it wins")
    func branches() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.push("1", "2-bb", "1-aa", body: #"{"channels":["a"]}"#)
        try await fixture.unified.push("1", "2-aa", "1-aa", body: #"{"channels":["x"]}"#)
        let anna = fixture.unified.seen(by: "anna")
        #expect(try await anna.body("1", "2-bb") != nil)
        #expect(try await anna.body("1", "2-aa") == nil)
        // The winner is closed: the other branch wins, and removes the document from anna's channel.
        let position = try await anna.read().position
        try await fixture.unified.push("1", "3-cc", "2-bb", body: "{}", deleted: true)
        #expect(try await anna.rows(since: position) == ["1 removed a"])
        #expect(try await anna.body("1", "2-aa") == #"{"_removed":true}"#)
        try await fixture.expectSound()
    }

    @Test("The revision with which a document left is read as removed")
    func removed() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let first = try await fixture.unified.put("1", channels: ["a"])
        let left = try await fixture.unified.put("1", channels: ["x"], with: #""secret":1"#)
        let later = try await fixture.unified.put("1", channels: ["x"], with: #""secret":2"#)
        #expect(try await anna.body("1", left.text) == #"{"_removed":true}"#)
        #expect(try await anna.body("1", later.text) == nil)
        #expect(try await anna.body("1", first.text) == #"{"channels":["a"]}"#, "anna could read it, as in Sync Gateway")
        #expect(try await code { _ = try await anna.revision(.current, of: "1") } == .notFound)
        try await fixture.user("anna")
        #expect(try await anna.body("1", first.text) == nil)
    }

    @Test("A document that came back by another channel has a removed revision for the readers of the old channel")
    func cameBack() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a", "b"])
        try await fixture.user("bert", channels: ["b"])
        try await fixture.unified.put("1", channels: ["a"])
        let left = try await fixture.unified.put("1", channels: ["x"], with: #""secret":1"#)
        let hidden = try await fixture.unified.put("1", channels: ["x"], with: #""secret":2"#)
        try await fixture.unified.put("1", channels: ["b"])
        func announced(_ revision: RevisionID, to name: String) async throws -> String? {
            try await fixture.unified.seen(by: name).read { snapshot in
                try snapshot.document("1")?.announced(revision).map { String(decoding: $0.body.properties, as: UTF8.self) }
            }
        }
        #expect(try await announced(left, to: "anna") == #"{"_removed":true}"#)
        #expect(try await announced(hidden, to: "anna") == nil)
        #expect(try await announced(left, to: "bert") == nil)
        // It has no content, so no revision can be its child.
        #expect(try await fixture.unified.seen(by: "anna").body("1", left.text) == nil)
    }

    @Test("Older revisions of a tombstone stay readable in the reader's channels")
    func beforeTombstone() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let other = try await fixture.unified.put("1", channels: ["x"])
        let own = try await fixture.unified.put("1", channels: ["a"], with: #""n":1"#)
        let tombstone = try await fixture.unified.put("1", channels: nil)
        #expect(try await anna.body("1", own.text) == #"{"channels":["a"],"n":1}"#)
        #expect(try await anna.body("1", other.text) == nil)
        #expect(try await anna.body("1", tombstone.text) == #"{"_removed":true}"#)
    }

    @Test("The current revision of a revoked document is read as removed")
    func revoked() async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        let revision = try await fixture.unified.put("1", channels: ["a"], with: #""secret":1"#)
        try await fixture.user("anna")
        #expect(try await anna.body("1", revision.text) == #"{"_removed":true}"#)
        #expect(try await code { _ = try await anna.revision(.current, of: "1") } == .notFound)
    }

    @Test("A deleted user reads nothing")
    func unknown() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.put("1", channels: ["!"])
        let nobody = fixture.unified.seen(by: "nobody")
        #expect(try await code { _ = try await nobody.rows() } == .unauthorized)
        #expect(try await code { _ = try await nobody.revision(.current, of: "1") } == .unauthorized)
    }
}
