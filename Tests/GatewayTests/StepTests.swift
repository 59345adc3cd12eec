import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Steps of moves and reverts, each prepared while the previous one is written")
struct StepTests {
    private let fixture: Fixture
    private let database: Database

    /// Five orders in the default collection, and the database whose routes place them elsewhere.
    init() async throws {
        fixture = try await Fixture()
        for number in 1...5 { try await fixture.unified.push("\(number)", "1-aa", body: #"{"type":"order"}"#) }
        database = try await fixture.reopened {
            try $0.add("s.orders")
            try $0.route(.property(name: "type", equals: .string("order")), to: "s.orders")
        }
    }

    private func run() async throws -> MoveRun { try await database.beginMoves(fingerprint: database.routesFingerprint) }

    @Test("A document that is written between the preparation and the step is examined again")
    func moves() async throws {
        var steps = database.moveSteps(of: try await run())
        #expect(try await steps.next(limit: 2)?.examined == 2)
        try await database.unified.push("4", "2-bb", "1-aa", body: #"{"type":"other"}"#)
        #expect(try await steps.next(limit: 2)?.examined == 1, "up to the changed document")
        let last = try #require(try await steps.next(limit: 2))
        #expect((last.unmatched.documents, last.examined) == (1, 2))
        #expect(try await steps.next(limit: 2) == nil)
        #expect(try await database.keyspace(.default)?.feed() == ["4@2-bb"])
        #expect(try await Set(fixture.reads("s.orders", of: database)) == ["1@1-aa", "2@1-aa", "3@1-aa", "5@1-aa"])
        try await fixture.expectSound()
    }

    @Test("A document that is written between the preparation and the step is reverted by a later one, with the write")
    func reverts() async throws {
        let run = try await run()
        var moves = database.moveSteps(of: run)
        while try await moves.next(limit: 10) != nil {}
        var steps = database.revertSteps(of: run)
        #expect(try await steps.next(limit: 1)?.documents == 1)
        #expect(try await steps.next(limit: 3)?.documents == 1)
        try await database.unified.push("4", "2-bb", "1-aa", body: #"{"type":"other"}"#)
        #expect(try await steps.next(limit: 3)?.documents == 2, "the documents before and after it")
        #expect(try await fixture.reads("s.orders", of: database) == ["4@2-bb"])
        var rest = 0
        while let step = try await steps.next(limit: 3) { rest += step.documents }
        #expect(rest == 1)
        let remainder = try #require(database.keyspace(.default))
        #expect(try await Set(remainder.feed()) == ["1@1-aa", "2@1-aa", "3@1-aa", "4@2-bb", "5@1-aa"])
        #expect(
            try await remainder.counts().misplaced == 4, "the routes place the orders elsewhere, and no longer the document that is none")
        #expect(try await database.moveRuns().map(\.state) == [.reverted])
        let journal = try await fixture.store.read { snapshot in
            var journal: [DocumentKey] = []
            try snapshot.movedDocuments(in: run.key, after: DocumentKey(0), limit: 9) {
                journal.append($0.move.document)
                return true
            }
            return journal
        }
        #expect(journal == [])
        try await fixture.expectSound()
    }

    @Test("A step has a limit of body bytes, whatever the number of documents")
    func bytes() async throws {
        let note = String(repeating: "x", count: StepSize.bytes * 3 / 4)
        for number in 1...3 { try await fixture.unified.push("\(number)", "2-bb", "1-aa", body: #"{"type":"order","note":"\#(note)"}"#) }
        let run = try await run()
        var moves = database.moveSteps(of: run)
        #expect(try await moves.next(limit: 9)?.examined == 2)
        #expect(try await moves.next(limit: 9)?.examined == 3)
        var reverts = database.revertSteps(of: run)
        #expect(try await reverts.next(limit: 9)?.documents == 2)
        #expect(try await reverts.next(limit: 9)?.documents == 3)
    }

    @Test("If the routes differ from those of the run, all documents are evaluated again")
    func otherRoutes() async throws {
        let run = try await run()
        var moves = database.moveSteps(of: run)
        while try await moves.next(limit: 10) != nil {}
        let others = try await fixture.reopened {
            try $0.add("s.orders")
            try $0.route(.idPrefix("1"), to: "s.orders")
        }
        var steps = others.revertSteps(of: run)
        while try await steps.next(limit: 2) != nil {}
        #expect(try await others.keyspace(.default)?.counts().misplaced == 1)
        try await fixture.expectSound()
    }
}

extension Fixture {
    /// The feed of a collection in another database over the fixture's store.
    fileprivate func reads(_ name: String, of database: Database) async throws -> [String] {
        let name = try #require(CollectionName(name))
        return try await #require(database.keyspace(name)).feed()
    }
}
