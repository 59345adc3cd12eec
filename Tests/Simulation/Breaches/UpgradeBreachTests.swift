import Documents
import Gateway
import ModernProtocol
import Testing

@Suite("The simulation notices what an upgraded app does not survive")
struct UpgradeBreachTests {
    private static let place = Place(keyspace: Subject.collections[0], id: "a")

    /// A database of 4.x that has one document from before its upgrade.
    private func database(changesURL: Bool) throws -> VersionDatabase {
        let trees = TreeDatabase(.v3, try VersionMaker("device"))
        _ = try trees.edit(.write(number: 1, hasPhoto: false), Subject.all[0], at: Self.place, ledger: Ledger())
        if changesURL { trees.forgetServer() }
        return trees.withVersions()
    }

    @Test("A revision from before the upgrade is called known at another URL than the first", arguments: [true, false])
    func spoiled(changesURL: Bool) throws {
        let database = try database(changesURL: changesURL)
        let offer = try #require(database.offer(Self.place))
        #expect(RevisionID(offer.revision) != nil)
        if changesURL {
            #expect(throws: Surprise.self) { try database.noteAcknowledged(offer, at: Self.place) }
        } else {
            try database.noteAcknowledged(offer, at: Self.place)
            #expect(!database.isDirty(Self.place))
        }
    }

    @Test("A history that does not end in what the document remembers is a conflict", arguments: [true, false])
    func tail(isTold: Bool) throws {
        let (database, ledger) = (try database(changesURL: false), Ledger())
        let offer = try #require(database.offer(Self.place))
        try database.noteAcknowledged(offer, at: Self.place)
        let content = Content(number: 2, type: nil, photo: nil)
        let arrival = Arrival(
            revision: "90000@\(try VersionMaker("bridge").source)", history: isTold ? offer.revision : nil, content: content, body: [])
        try database.take(arrival, at: Self.place, ledger: ledger)
        #expect(ledger.falseConflicts.isEmpty == isTold)
    }

    @Test("What an app had before it gained collections comes back as another document")
    func copied() async throws {
        let devices = [Generation.second, .third].map { Device(generation: $0, home: .bridge) }
        let world = try await World(Schedule(seed: 0, devices: devices, isRouted: true, operations: []))
        let steps: [Operation] = [
            .edit(client: 1, subject: 2, .write(number: 1, hasPhoto: false)), .replicate(client: 1, .both, nil),
            .replicate(client: 0, .both, nil), .device(client: 0, .gainCollections),
        ]
        for step in steps { try await world.perform(step) }
        let copy = Place(keyspace: Subject.collections[0], id: Subject.all[2].legacyID)
        #expect(world.placedElsewhere == [copy])
        let write = RevisionWrite(id: copy.id, kind: .edit(parent: nil), isDeleted: false, body: Array(#"{"n":2}"#.utf8))
        _ = try await world.bridge.keyspace(copy.keyspace).write(write)
        try await world.settle()
        do {
            try await world.checkConvergence()
            Issue.record("the copy was not noticed")
        } catch let violation as Violation {
            #expect(violation.invariant == .identity)
        }
        try await world.close()
    }

    @Test("With collections and another URL in one step, only what another app has written in a collection may come as another document")
    func copiedElsewhere() async throws {
        let devices = [Generation.second, .third].map { Device(generation: $0, home: .bridge) }
        let world = try await World(Schedule(seed: 0, devices: devices, isRouted: true, operations: []))
        let steps: [Operation] = [
            .edit(client: 1, subject: 2, .write(number: 1, hasPhoto: false)), .replicate(client: 1, .both, nil),
            .edit(client: 0, subject: 3, .write(number: 2, hasPhoto: false)), .replicate(client: 0, .both, nil),
            .device(client: 0, .gainCollections), .device(client: 0, .changeURL),
        ]
        for step in steps { try await world.perform(step) }
        let places = [2, 3].map { Place(keyspace: Subject.collections[0], id: Subject.all[$0].legacyID) }
        #expect(world.placedElsewhere == Set(places))
        #expect(world.ledger.mayBeCopied == [places[0]])
        try await world.settle()
        try await world.judge()
        #expect(try await world.bridge.holdings(in: Subject.collections[0])[places[1]] == nil)
        try await world.close()
    }
}
