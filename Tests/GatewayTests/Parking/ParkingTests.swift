import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Parking and superseding of refused revisions")
struct ParkingTests {
    private let refusal = ParkingOutcome.Refusal(domain: "CBLHTTP", code: 403, reason: "no")

    private func parked(_ fixture: Fixture) async throws -> [String] {
        try await fixture.database.parked(limit: 100).revisions.map { "\($0.id) \($0.revision)" }
    }

    @Test("A push is parked until it is accepted, or until a newer write replaces the leaf")
    func pushing() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        try await fixture.unified.push("a", "1-aa")
        try await fixture.unified.push("b", "1-aa")
        let notes = ["a", "b"].map { ParkingOutcome(.push, id: $0, revision: "1-aa", refusal: refusal) }
        try await parking.note(notes, in: fixture.unified)
        #expect(try await parked(fixture) == ["a 1-aa", "b 1-aa"])
        try await parking.note([ParkingOutcome(.push, id: "a", revision: "1-aa")], in: fixture.unified)
        #expect(try await parked(fixture) == ["b 1-aa"])
        try await fixture.unified.push("b", "2-bb", "1-aa")
        try await parking.note([ParkingOutcome(.push, id: "b", revision: "2-bb", refusal: refusal)], in: fixture.unified)
        #expect(try await parked(fixture) == ["b 2-bb"])
    }

    @Test("The sequences of refused pushes are known, also of forgotten ones, as long as they are leaves to push")
    func sequences() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        for id in ["a", "b", "c"] { try await fixture.unified.push(id, "1-aa") }
        let notes = ["c", "a", "b"].map { ParkingOutcome(.push, id: $0, revision: "1-aa", refusal: refusal) }
        try await parking.note(notes, in: fixture.unified)
        try await parking.note([ParkingOutcome(.pull, id: "a", revision: "9-aa", refusal: refusal)], in: fixture.unified)
        func sequence(_ id: String) async throws -> Int64 { try #require(await fixture.unified.record(id).sequence).value }
        let expected = [try await sequence("a"), try await sequence("b"), try await sequence("c")]
        #expect(try await parking.refusedSequences(in: fixture.unified) == expected)
        #expect(try await Parking("other", in: fixture.database).refusedSequences(in: fixture.unified) == [])
        _ = try await fixture.database.forgetParked(ParkedSelection(id: "a"))
        #expect(try await parking.refusedSequences(in: fixture.unified) == expected)
        // A newer revision, which will be offered by itself, and one that was accepted although it was forgotten.
        try await fixture.unified.push("b", "2-bb", "1-aa")
        try await parking.note([ParkingOutcome(.push, id: "a", revision: "1-aa")], in: fixture.unified)
        #expect(try await parking.refusedSequences(in: fixture.unified) == [expected[2]])
    }

    @Test("An accepted branch does not supersede a parked push of another branch, because 1.x servers store all of them")
    func branches() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        try await fixture.unified.push("a", "1-aa")
        try await fixture.unified.push("a", "1-bb")
        try await parking.note([ParkingOutcome(.push, id: "a", revision: "1-aa", refusal: refusal)], in: fixture.unified)
        try await parking.note([ParkingOutcome(.push, id: "a", revision: "1-bb")], in: fixture.unified)
        #expect(try await parked(fixture) == ["a 1-aa"])
        var only = ParkingOutcome(.push, id: "a", revision: "1-bb")
        only.isOnly = true
        try await parking.note([only], in: fixture.unified)
        #expect(try await parked(fixture) == [])
    }

    @Test("A refused pull is not parked, and does not stay parked, if a later revision has brought it")
    func pulledMeanwhile() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        let notes = ["1-aa", "3-cc"].map { ParkingOutcome(.pull, id: "a", revision: $0, refusal: refusal) }
        try await fixture.unified.push("a", "2-bb", "1-aa")
        try await parking.note(notes, in: fixture.unified)
        #expect(try await parked(fixture) == ["a 3-cc"])
        try await fixture.database.releaseOvertaken(.all)
        #expect(try await parked(fixture) == ["a 3-cc"])
        try await fixture.unified.push("a", "4-dd", "3-cc", "2-bb", "1-aa")
        try await fixture.database.releaseOvertaken(.all)
        #expect(try await parked(fixture) == [])
    }

    @Test("A pull is unparked when it is here, or is an ancestor of one that is here or was refused")
    func pulling() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        let notes = ["a", "b", "c"].map { ParkingOutcome(.pull, id: $0, revision: "1-aa", refusal: refusal) }
        try await parking.note(notes, in: fixture.unified)
        try await fixture.unified.push("a", "2-bb", "1-aa")
        try await parking.note([ParkingOutcome(.pull, id: "a", revision: "2-bb")], in: fixture.unified)
        #expect(try await parked(fixture) == ["b 1-aa", "c 1-aa"])
        var child = ParkingOutcome(.pull, id: "b", revision: "2-bb", refusal: refusal)
        child.ancestors = [try revision("1-aa")]
        try await parking.note([child], in: fixture.unified)
        #expect(try await parked(fixture) == ["c 1-aa", "b 2-bb"])
        try await parking.note([ParkingOutcome(.pull, id: "c", revision: "1-bb")], in: fixture.unified)
        #expect(try await parked(fixture) == ["c 1-aa", "b 2-bb"])
    }

    @Test("Replications, directions and keyspaces have separate lists, and long reasons are truncated")
    func separate() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders") }
        let orders = try fixture.collection("sales.orders")
        let long = ParkingOutcome.Refusal(domain: "d", code: 1, reason: String(repeating: "é", count: 2_000))
        let refused = ParkingOutcome(.pull, id: "a", revision: "1-aa", refusal: long)
        try await Parking("r", in: fixture.database).note([refused], in: fixture.unified)
        try await Parking("r", in: fixture.database).note([refused], in: orders)
        try await Parking("q", in: fixture.database).note([refused], in: orders)
        try await Parking("q", in: fixture.database).note([ParkingOutcome(.pull, id: "a", revision: "1-aa")], in: orders)
        let (left, total) = try await fixture.database.parked(limit: 10)
        #expect(left.map { "\($0.replication) \($0.collection)" } == ["r ", "r sales.orders"] && total == 2)
        #expect(left.allSatisfy { $0.reason.utf8.count < 600 })
    }

    @Test("A purge supersedes a push under each of its IDs, and not a pull")
    func purged() async throws {
        let fixture = try await Fixture { configuration in
            try configuration.add("sales.orders")
            let orders = try #require(CollectionName("sales.orders"))
            configuration.routes = [Route(to: orders, when: .idPrefix("order::"), stripsPrefix: true)]
        }
        let orders = try fixture.collection("sales.orders")
        let parking = Parking("r", in: fixture.database)
        for number in 1...3 { try await fixture.unified.push("order::\(number)", "1-aa") }
        try await parking.note([ParkingOutcome(.push, id: "1", revision: "1-aa", refusal: refusal)], in: orders)
        let notes = ["order::2", "order::3"].map { ParkingOutcome(.push, id: $0, revision: "1-aa", refusal: refusal) }
        try await parking.note(notes + [ParkingOutcome(.pull, id: "order::2", revision: "2-bb", refusal: refusal)], in: fixture.unified)
        #expect(try await fixture.unified.purge(["order::1", "order::9"]) == ["order::1"])
        #expect(try await orders.purge(["2"]) == ["2"])
        let left = try await parked(fixture)
        #expect(left == ["order::3 1-aa", "order::2 2-bb"], "\(left)")
    }

    @Test("A push of a document that has left its keyspace is dropped")
    func gone() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders") }
        let parking = Parking("r", in: fixture.database)
        try await fixture.unified.push("a", "1-aa")
        try await parking.note(["a", "b"].map { ParkingOutcome(.push, id: $0, revision: "1-aa", refusal: refusal) }, in: fixture.unified)
        try await parking.note(
            [ParkingOutcome(.push, id: "a", revision: "1-aa", refusal: refusal)], in: try fixture.collection("sales.orders"))
        try await parking.releaseOvertaken(["a", "b"], in: fixture.unified, isOnly: false)
        try await parking.releaseOvertaken(["a"], in: try fixture.collection("sales.orders"), isOnly: false)
        #expect(try await parked(fixture) == ["a 1-aa"])
    }

    @Test("A push is superseded by a received child, or by the only leaf of the other side")
    func overtakenByPull() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        for id in ["followed", "lost", "stands"] { try await fixture.unified.push(id, "2-bb", "1-aa") }
        let notes = ["followed", "lost", "stands"].map { ParkingOutcome(.push, id: $0, revision: "2-bb", refusal: refusal) }
        try await parking.note(notes, in: fixture.unified)
        try await fixture.unified.push("followed", "3-cc", "2-bb", "1-aa")
        try await fixture.unified.push("lost", "2-cc", "1-aa")
        try await fixture.unified.push("stands", "2-aa", "1-aa")
        let came = [("followed", "3-cc"), ("lost", "2-cc"), ("stands", "2-aa")].map { ParkingOutcome(.pull, id: $0.0, revision: $0.1) }
        try await parking.note(came, in: fixture.unified)
        #expect(try await parked(fixture) == ["lost 2-bb", "stands 2-bb"])
        try await parking.note(
            came.map { note in
                var note = note
                note.isOnly = true
                return note
            }, in: fixture.unified)
        #expect(try await parked(fixture) == ["stands 2-bb"])
    }

    @Test("A revision that got a child while it was refused is not parked, and the child is parked by its own result")
    func overtakenBeforehand() async throws {
        let fixture = try await Fixture()
        let parking = Parking("r", in: fixture.database)
        try await fixture.unified.push("a", "2-bb", "1-aa")
        try await parking.note([ParkingOutcome(.push, id: "a", revision: "1-aa", refusal: refusal)], in: fixture.unified)
        #expect(try await parked(fixture) == [])
        var only = ParkingOutcome(.push, id: "a", revision: "2-bb", refusal: refusal)
        only.isOnly = true
        try await fixture.unified.push("a", "2-cc", "1-aa")
        try await parking.note([only], in: fixture.unified)
        #expect(try await parked(fixture) == [])
        only.isOnly = false
        try await parking.note([only], in: fixture.unified)
        #expect(try await parked(fixture) == ["a 2-bb"])
    }

    @Test("A revision that is no longer a leaf is removed when the list is read")
    func lookedThrough() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders") }
        let orders = try fixture.collection("sales.orders")
        for keyspace in [fixture.unified, orders] {
            for id in ["a", "b"] { try await keyspace.push(id, "1-aa") }
            let notes = ["a", "b"].map { ParkingOutcome(.push, id: $0, revision: "1-aa", refusal: refusal) }
            try await Parking("r", in: fixture.database).note(notes, in: keyspace)
            try await keyspace.push("a", "2-bb", "1-aa")
        }
        try await Parking("r", in: fixture.database).note([ParkingOutcome(.pull, id: "a", revision: "9-aa", refusal: refusal)], in: orders)
        try await fixture.database.releaseOvertaken(.all)
        #expect(Set(try await parked(fixture)) == ["b 1-aa", "a 9-aa"])
        #expect(try await fixture.database.parked(limit: 9).total == 3)
    }
}
