import Documents
import ModernProtocol
import Testing

@Suite("A simulated database of 4.x behaves as LiteCore's")
struct VersionDatabaseTests {
    private static let place = Place(keyspace: Subject.collections[0], id: "a")

    /// A database that was upgraded after a server had a revision of its document, and whose app then got another URL.
    private func database(_ ledger: Ledger) throws -> (VersionDatabase, before: String) {
        let trees = TreeDatabase(.v3, try VersionMaker("device"))
        let before = try #require(try trees.edit(.write(number: 1, hasPhoto: false), Subject.all[0], at: Self.place, ledger: ledger))
        trees.recordAcknowledged(try #require(trees.offer(Self.place)), at: Self.place)
        let database = trees.withVersions()
        database.forgetServer()
        return (database, before)
    }

    private func arrival(_ version: Version, _ history: String?, number: Int) -> Arrival {
        Arrival(
            revision: version.description, history: history, content: Content(number: number, type: nil, photo: nil), body: [])
    }

    @Test("The database sends the known revision of a server at a former URL to the next server, and with each edit")
    func formerURL() throws {
        let ledger = Ledger()
        let (database, before) = try database(ledger)
        let edit = try #require(try database.edit(.delete, Subject.all[0], at: Self.place, ledger: ledger))
        let version = Version(time: 9 << 16, source: try VersionMaker("bridge").source)
        #expect(try database.ancestors(of: version.description, at: Self.place) == [edit, before])
        #expect(database.offer(Self.place)?.history == before)
    }

    @Test("After a conflict that the server's side has won, the server's next revision is no conflict, even without the losing version")
    func takenInConflict() throws {
        let ledger = Ledger()
        let (database, before) = try database(ledger)
        // The sum of the numbers decides the side.
        _ = try database.edit(.write(number: 2, hasPhoto: false), Subject.all[0], at: Self.place, ledger: ledger)
        let source = try VersionMaker("bridge").source
        try database.store(arrival(Version(time: 8 << 16, source: source), before, number: 2), at: Self.place, ledger: ledger)
        #expect(ledger.happenings[.tookOtherVersion] == 1)
        try database.store(arrival(Version(time: 9 << 16, source: source), before, number: 4), at: Self.place, ledger: ledger)
        #expect(ledger.happenings == [.tookOtherVersion: 1] && ledger.falseConflicts.isEmpty)
        #expect(database.holdings[Self.place]?.content.number == 4)
    }
}
