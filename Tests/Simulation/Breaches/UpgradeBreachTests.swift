import Documents
import Gateway
import ModernProtocol
import Testing

@Suite("The simulation detects faults that break an upgraded app")
struct UpgradeBreachTests {
    private static let place = Place(keyspace: Subject.collections[0], id: "a")

    /// A database of 4.x that has one document from before its upgrade.
    private func database(changesURL: Bool) throws -> VersionDatabase {
        let trees = TreeDatabase(.v3, try VersionMaker("device"))
        _ = try trees.edit(.write(number: 1, hasPhoto: false), Subject.all[0], at: Self.place, ledger: Ledger())
        if changesURL { trees.forgetServer() }
        return trees.withVersions()
    }

    @Test("A reply that a revision from before the upgrade is known, at another URL than the first, is a breach", arguments: [true, false])
    func spoiled(changesURL: Bool) throws {
        let database = try database(changesURL: changesURL)
        let offer = try #require(database.offer(Self.place))
        #expect(RevisionID(offer.revision) != nil)
        if changesURL {
            #expect(throws: UnexpectedMessage.self) { try database.recordAcknowledged(offer, at: Self.place) }
        } else {
            try database.recordAcknowledged(offer, at: Self.place)
            #expect(!database.isDirty(Self.place))
        }
    }

    @Test("A history that does not end in the document's revision from before the upgrade is a conflict", arguments: [true, false])
    func tail(isTold: Bool) throws {
        let (database, ledger) = (try database(changesURL: false), Ledger())
        let offer = try #require(database.offer(Self.place))
        try database.recordAcknowledged(offer, at: Self.place)
        let content = Content(number: 2, type: nil, photo: nil)
        let arrival = Arrival(
            revision: "90000@\(try VersionMaker("bridge").source)", history: isTold ? offer.revision : nil, content: content, body: [])
        try database.store(arrival, at: Self.place, ledger: ledger)
        #expect(ledger.falseConflicts.isEmpty == isTold)
    }

    @Test("A document that the app had before it gained collections returns as another document")
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
        try await world.replicateUntilQuiet()
        do {
            try await world.checkConvergence()
            Issue.record("the copy was not detected")
        } catch let violation as Violation {
            #expect(violation.invariant == .identity)
        }
        try await world.close()
    }

    @Test("With collections and another URL in one step, only documents written by other apps in a collection may return as others")
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
        try await world.replicateUntilQuiet()
        try await world.checkInvariants()
        #expect(try await world.bridge.holdings(in: Subject.collections[0])[places[1]] == nil)
        try await world.close()
    }
}
