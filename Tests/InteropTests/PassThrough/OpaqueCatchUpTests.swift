import BridgeConfiguration
import Coordination
import Documents
import Gateway
import HTTP
import Logging
import Scripting
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Moved devices wait for the pull from an old server whose positions have no order", .timeLimit(.minutes(2)))
struct OpaqueCatchUpTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The feed of a CouchDB: each document is a row with its latest change alone.
    private final class Feed: Sendable {
        private let rows = Lock<[(id: String, revision: String)]>([])

        /// The position behind a number of changes.
        static func position(_ count: Int) -> String { "\(count)-g1AAAA\(count)" }

        func write(_ id: String, _ revision: String) { rows.withLock { $0.append((id, revision)) } }

        /// Answers `_changes` of a position and a limit.
        func answer(to target: String) -> String {
            let parameters = target.drop { $0 != "?" }.dropFirst().split(separator: "&").map { $0.split(separator: "=") }
            func parameter(_ name: String) -> Substring? { parameters.first { $0.first == name[...] }?.last }
            let since = parameter("since").flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
            let all = rows.withLock { $0 }
            let behind = all.enumerated().dropFirst(since).filter { place, row in !all[(place + 1)...].contains { $0.id == row.id } }
            let shown = behind.prefix(parameter("limit").flatMap { Int($0) } ?? .max).map { place, row in
                #"{"seq":"\#(Self.position(place + 1))","id":"\#(row.id)","changes":[{"rev":"\#(row.revision)"}]}"#
            }
            return #"{"results":[\#(shown.joined(separator: ","))],"last_seq":"\#(Self.position(all.count))","pending":0}"#
        }
    }

    /// The feed, and a database whose pull the test plays.
    private struct World {
        let feed: Feed
        let database: Database
        let server: FakeServer
        private let catchUp: CatchUp

        /// - Parameter filter: The filter of the pull.
        static func run(filter: ReplicationFilterChoice? = nil, _ body: @escaping @Sendable (World) async throws -> Void) async throws {
            let feed = Feed()
            try await FakeServer.run { call, _ in
                let isFeed = call.path.hasSuffix("/_changes")
                return FakeServer.json(isFeed ? feed.answer(to: call.target) : #"{"couchdb":"Welcome","version":"3.4.3"}"#)
            } _: { server, url in
                let folder = try TemporaryFolder()
                let database = try await Database(
                    configuration: DatabaseConfiguration(name: "shop"), store: try await TestStores.open("\(folder.path)/shop.dualgauge"),
                    scripts: ScriptEngine(workers: 1), logger: OpaqueCatchUpTests.quiet)
                var definition = ReplicationDefinition(target: .server(try RemoteAddress("\(url)/shop")))
                definition.filter = filter
                try await body(
                    World(feed: feed, database: database, server: server, catchUp: CatchUp(database: database, definition: definition)))
                try await database.close()
            }
        }

        /// The pull goes on behind a position.
        func beginPull(behind count: Int) async throws {
            try await database.unified.beginUpstreamFeed(of: "u", since: UpstreamSequence(Feed.position(count)))
        }

        /// The pull reaches a position, and the old server is asked again.
        func pullAndAsk(upTo count: Int) async throws {
            let calls = server.calls.count
            try await pull(upTo: count)
            await eventually { server.calls.count > calls }
        }

        /// The pull reaches a position.
        func pull(upTo count: Int) async throws {
            _ = try await database.unified.upstreamPlaces(of: [UpstreamSequence(Feed.position(count))], in: "u")
            try await database.unified.noteUpstream([], upTo: UpstreamSequence(Feed.position(count)))
        }

        /// Begins to wait for the pull, and returns once the old server has been asked.
        func wait() async throws -> Task<Void, any Error> {
            let count = server.calls.count
            let waiting = Task { try await catchUp.wait(OpaqueCatchUpTests.quiet) }
            await eventually { server.calls.count > count }
            return waiting
        }
    }

    @Test("They wait until the pull is behind each row that the old server had, and not for later rows")
    func rows() async throws {
        try await World.run { world in
            for number in 1...4 { world.feed.write("d\(number)", "1-a") }
            try await world.beginPull(behind: 1)
            let waiting = try await world.wait()
            let isDone = Lock(false)
            let end = Task {
                try await waiting.value
                isDone.withLock { $0 = true }
            }
            world.feed.write("d5", "1-a")
            try await world.pullAndAsk(upTo: 3)
            #expect(!isDone.withLock { $0 })
            try await world.pull(upTo: 4)
            try await end.value
        }
    }

    @Test("A row that was replaced by a later change of its document is not waited for")
    func replaced() async throws {
        try await World.run { world in
            world.feed.write("d1", "1-a")
            try await world.beginPull(behind: 0)
            let waiting = try await world.wait()
            world.feed.write("d2", "1-a")
            world.feed.write("d1", "2-b")
            try await world.pull(upTo: 2)
            try await waiting.value
        }
    }

    @Test("The old server is asked for the rows that pass the pull's filter: the pull never passes others")
    func filtered() async throws {
        try await World.run(filter: ReplicationFilterChoice(.named("app/byYear"), parameters: ["year": .string("2026")])) { world in
            try await world.wait().value
            let asked = world.server.calls.filter { $0.path.hasSuffix("/_changes") }
            #expect(asked.count == 1)
            #expect(asked.allSatisfy { $0.target.contains("filter=app%2FbyYear") && $0.target.contains("year=2026") }, "\(asked)")
        }
    }

    @Test("They do not wait if the pull has everything, nor for an empty server")
    func caughtUp() async throws {
        try await World.run { world in
            try await world.wait().value
            world.feed.write("d1", "1-a")
            try await world.beginPull(behind: 1)
            try await world.wait().value
        }
    }

    @Test("A pull far behind is waited for until all rows that are left fit one request")
    func farBehind() async throws {
        try await World.run { world in
            for number in 1...1_200 { world.feed.write("d\(number)", "1-a") }
            let waiting = try await world.wait()
            try await world.beginPull(behind: 0)
            for count in [600, 1_000, 1_200] { try await world.pullAndAsk(upTo: count) }
            try await waiting.value
        }
    }
}
