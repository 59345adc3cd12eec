import Access
import Documents
import Gateway
import SQLiteStorage
import Storage
import TestSupport
import Testing

/// An operation reads as many rows in a database of ten times the size, unless its result is larger. SQLite's steps measure that, and are
/// the same each time.
@Suite("Growth with the size of a database", .enabled(if: !TestStores.arePostgreSQL), .timeLimit(.minutes(5)))
struct StepGrowthTests {
    /// The number of documents in a channel, whatever the size.
    private static let documentsInChannel = 20

    /// A database with this number of documents, a tenth of users and a twentieth of channels.
    private static func fixture(documents: Int) async throws -> Fixture {
        let fixture = try await Fixture { configuration in
            let function = "function (doc) { channel(doc.channels); if (doc.grants) access(doc.grants, doc.grantedChannel); }"
            configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: function))
        }
        let channels = documents / documentsInChannel
        try await fixture.user("one", channels: ["c0"])
        try await fixture.user("ten", channels: Set((0..<10).map { "c\($0)" }))
        try await fixture.user("all", channels: ["*"])
        for number in 0..<(documents / 10) { try await fixture.user("user\(number)", channels: ["c\(number % channels)"]) }
        for start in stride(from: 0, to: documents, by: 500) {
            let writes = (start..<min(start + 500, documents)).map { number in
                RevisionWrite(
                    id: "d\(number)", kind: .edit(parent: nil), isDeleted: false,
                    body: Array(#"{"channels":["c\#(number % channels)"]}"#.utf8))
            }
            for result in try await fixture.unified.write(writes) { _ = try result.get() }
        }
        return fixture
    }

    private struct Operation: Sendable {
        let name: String
        let run: @Sendable (Keyspace) async throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (Keyspace) async throws -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Each operation runs twice; the second run counts, when rights are cached.
    private static var operations: [Operation] {
        var operations: [Operation] = []
        for user in ["one", "ten", "all"] {
            operations += [
                Operation("a document, by \(user)") { _ = try await $0.seen(by: user).revision(.current, of: "d0") },
                Operation("the end of the feed, by \(user)") { keyspace in
                    let end = FeedPosition(try await keyspace.lastSequence())
                    _ = try await keyspace.seen(by: user).rows(since: end)
                },
                Operation("the first row of the feed, by \(user)") { try await expect(1, $0.seen(by: user)) { $0.limit = 1 } },
                Operation("the last row of the feed, by \(user)") { keyspace in
                    try await expect(1, keyspace.seen(by: user)) {
                        $0.limit = 1
                        $0.descending = true
                    }
                },
                Operation("rows of certain documents, by \(user)") { keyspace in
                    // Only the first document is in the channels of all three.
                    try await expect(user == "one" ? 1 : 2, keyspace.seen(by: user)) {
                        $0.documentIDs = [ExactString("d0"), ExactString("d1")]
                    }
                },
            ]
        }
        return operations + [
            Operation("the feed of one channel") { try await expect(documentsInChannel, $0.seen(by: "one")) { _ in } },
            Operation("the feed of ten channels") { try await expect(10 * documentsInChannel, $0.seen(by: "ten")) { _ in } },
            Operation("an edit") { try await $0.put("edited", channels: ["c0"]) },
            Operation("an edit that gives access") { keyspace in
                try await keyspace.put("grant", channels: ["c0"], with: #""grants":"user0","grantedChannel":"c1""#)
            },
            Operation("an edit that takes it") { try await $0.put("grant", channels: ["c0"]) },
            Operation("a deletion") { keyspace in
                try await keyspace.put("gone", channels: ["c0"])
                try await keyspace.put("gone", channels: nil)
            },
        ]
    }

    private static func expect(_ rows: Int, _ keyspace: Keyspace, _ change: (inout ChangesQuery) -> Void) async throws {
        var query = ChangesQuery()
        change(&query)
        #expect(try await keyspace.changes(query).rows.count == rows)
    }

    private static func steps(_ operation: Operation, _ fixture: Fixture) async throws -> (read: UInt64, written: UInt64) {
        try await operation.run(fixture.unified)
        let store = try fixture.sqlite
        let (read, written) = (store.stepsRead, store.stepsWritten)
        try await operation.run(fixture.unified)
        return (store.stepsRead - read, store.stepsWritten - written)
    }

    @Test("No operation reads more rows in a database of ten times the size")
    func looksAtAsMuch() async throws {
        let small = try await Self.fixture(documents: 400)
        let large = try await Self.fixture(documents: 4_000)
        for operation in Self.operations {
            let (few, many) = (try await Self.steps(operation, small), try await Self.steps(operation, large))
            // The database's own background work takes some steps.
            #expect(many.read <= few.read * 3 / 2 + 50, "\(operation.name): \(few.read) and \(many.read) steps of reads")
            #expect(many.written <= few.written * 3 / 2 + 50, "\(operation.name): \(few.written) and \(many.written) steps of commits")
            #expect(few.read + few.written > 0, "\(operation.name)")
        }
    }

    @Test("The steps of a feed of many rows grow with its rows")
    func counts() async throws {
        let fixture = try await Self.fixture(documents: 400)
        let few = try await Self.steps(Operation("20 rows") { try await Self.expect(20, $0.seen(by: "all")) { $0.limit = 20 } }, fixture)
        let all = try await Self.steps(Operation("all rows") { try await Self.expect(400, $0.seen(by: "all")) { _ in } }, fixture)
        #expect(few.read > 20 && all.read > 5 * few.read)
    }
}
