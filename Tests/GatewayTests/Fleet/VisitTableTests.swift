import Storage
import Testing

@testable import Gateway

@Suite("Visits in memory")
struct VisitTableTests {
    private static let minute: Int64 = 60_000
    private static let phone = ClientKind(generation: 1, agent: "CouchbaseLite/1.4.4 (Android)")

    private func visitor(_ user: String, agent: String = phone.agent, from address: String = "10.0.0.1") -> Visitor {
        Visitor(user: user, client: ClientKind(generation: 1, agent: agent), address: address)
    }

    /// The rows of one write, as `user: first-last`.
    private func write(_ table: inout VisitTable, at now: Int64) -> [String] {
        let due = table.due(at: now)
        table.markWritten(due)
        return due.map { "\($0.user): \($0.firstSeen)-\($0.lastSeen)" }.sorted()
    }

    @Test("A client's row is written once a minute, with its last request")
    func interval() {
        var table = VisitTable()
        for now in [1_000, 2_000, 3_000] as [Int64] { table.record(visitor("anna"), at: now) }
        #expect(write(&table, at: 3_000) == ["anna: 1000-3000"])
        table.record(visitor("anna"), at: 4_000)
        #expect(write(&table, at: 5_000).isEmpty)
        #expect(write(&table, at: 3_000 + Self.minute) == ["anna: 1000-4000"])
        #expect(write(&table, at: 9_000 + Self.minute).isEmpty)
    }

    @Test("A client that does not return is removed after its row was written, unless it has an open feed")
    func forgetting() {
        var table = VisitTable()
        table.record(visitor("anna"), at: 0)
        table.open(visitor("bob"), at: 0)
        #expect(write(&table, at: 0).count == 2)
        #expect(write(&table, at: 2 * Self.minute).isEmpty && table.count == 1)
        #expect(table.clientCount(ofGeneration: 1, since: 99 * Self.minute) == 1 && table.openFeeds == 1)
    }

    @Test("An open feed counts until it closes, and is written once an hour and when it closes")
    func openFeed() {
        var table = VisitTable()
        table.open(visitor("anna"), at: 0)
        table.open(visitor("anna"), at: 1_000)
        #expect(write(&table, at: 1_000) == ["anna: 0-1000"])
        #expect(write(&table, at: 30 * Self.minute).isEmpty)
        let hour = VisitTable.openInterval + 1_000
        #expect(write(&table, at: hour) == ["anna: 0-\(hour)"])
        table.close(visitor("anna"), at: hour + 1)
        #expect(table.openFeedsByClient == [VisitingClient(user: "anna", client: Self.phone): 1])
        table.close(visitor("anna"), at: hour + 2)
        #expect(table.openFeeds == 0 && table.clientCount(ofGeneration: 1, since: hour + 3) == 0)
        #expect(table.clientCount(ofGeneration: 1, since: hour + 2) == 1)
        #expect(write(&table, at: hour + Self.minute) == ["anna: 0-\(hour + 2)"])
    }

    @Test("One user's names and addresses leave room for others, the total has a limit, and feeds always count")
    func bounds() {
        var table = VisitTable(limit: 20, limitOfUser: 10)
        for number in 0..<50 { table.record(visitor("", agent: "scan/\(number)"), at: 0) }
        #expect(table.count == 10)
        table.record(visitor("anna"), at: 0)
        #expect(table.count == 11)
        for number in 0..<50 { table.record(visitor("u\(number)"), at: 0) }
        #expect(table.count == 20)
        table.open(visitor("zoe"), at: 0)
        #expect(table.count == 21 && table.openFeeds == 1)
        table.markWritten(table.due(at: 0))
        #expect(table.due(at: Self.minute).isEmpty && table.count == 1)
        table.record(visitor("", agent: "scan/77"), at: Self.minute)
        #expect(table.count == 2)
    }

    @Test("One user's devices of one kind are one client at any address, and other generations count separately")
    func clients() {
        var table = VisitTable()
        for address in ["10.0.0.1", "10.0.0.2"] { table.record(visitor("anna", from: address), at: 5) }
        table.record(visitor("anna", agent: "PouchDB"), at: 5)
        table.record(Visitor(user: "anna", client: ClientKind(generation: 2, agent: "x"), address: nil), at: 5)
        #expect(table.clientCount(ofGeneration: 1, since: 5) == 2 && table.clientCount(ofGeneration: 1, since: 6) == 0)
        #expect(table.clientCount(ofGeneration: 2, since: 0) == 1)
    }

    @Test("A clock that is set back neither stops the writes nor changes the last dates")
    func clock() {
        var table = VisitTable()
        table.record(visitor("anna"), at: 100 * Self.minute)
        #expect(write(&table, at: 100 * Self.minute).count == 1)
        table.record(visitor("anna"), at: Self.minute)
        #expect(write(&table, at: 2 * Self.minute).isEmpty)
        table.record(visitor("anna"), at: 101 * Self.minute)
        #expect(write(&table, at: 101 * Self.minute) == ["anna: \(101 * Self.minute)-\(101 * Self.minute)"])
    }

    @Test(
        "An IPv6 address is reduced to the half that devices do not change",
        arguments: [
            ("10.1.2.3", "10.1.2.3"), ("2001:db8:1:2:aaaa:bbbb:cccc:dddd", "2001:db8:1:2::/64"), ("2001:db8::1", "2001:db8:0:0::/64"),
            ("::1", "0:0:0:0::/64"), ("::ffff:10.0.0.1", "::ffff:10.0.0.1"), ("fe80::1%eth0", "fe80::1%eth0"), ("", ""),
        ])
    func addresses(address: String, kept: String) {
        #expect(Visitor(user: nil, client: Self.phone, address: address).address == kept)
    }
}
