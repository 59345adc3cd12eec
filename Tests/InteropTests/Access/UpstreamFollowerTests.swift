import Access
import Authentication
import Coordination
import Documents
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import SQLiteStorage
import Storage
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import ReplicationService
@testable import Server

@Suite("Later grants and revocations at the old server are applied here", .timeLimit(.minutes(2)))
struct UpstreamFollowerTests {
    /// The values that a test changes.
    private final class Scene: Sendable {
        private struct State {
            var channels = #"{"!":1,"orders":7}"#
            var status = 200
            var isFollowed = true
            var looks = 0
        }

        private let state = Lock(State())
        let clock: AccessClock
        let advance: @Sendable (_ seconds: Int64) -> Void

        init() {
            let time = Lock(Int64(1_000_000))
            clock = AccessClock { time.withLock { $0 } }
            advance = { seconds in time.withLock { $0 += seconds * 1000 } }
        }

        /// The number of checks whether the old server is still followed.
        var timesLooked: Int { state.withLock { $0.looks } }

        func isFollowed() -> Bool {
            state.withLock { state in
                state.looks += 1
                return state.isFollowed
            }
        }

        func follow(_ isFollowed: Bool) { state.withLock { $0.isFollowed = isFollowed } }

        func give(_ channels: String, status: Int = 200) {
            state.withLock { ($0.channels, $0.status) = (channels, status) }
        }

        /// The old server's reply to waldo's session request.
        func answer(_ call: FakeServer.Call) -> Response {
            let state = state.withLock { $0 }
            guard call.path == "/old/_session", state.status == 200 else { return FakeServer.json("{}", state.status) }
            return FakeServer.json(#"{"ok":true,"userCtx":{"channels":\#(state.channels),"name":"waldo"}}"#)
        }
    }

    private func run(_ body: @Sendable (Scene, FakeServer, DatabaseAccess, UpstreamFollower) async throws -> Void) async throws {
        let scene = Scene()
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: "\(folder.path)/test.dualgauge")
        try await FakeServer.run({ call, _ in scene.answer(call) }) { (server, url) async throws in
            var configuration = AuthenticatorsConfiguration()
            configuration.upstream = UpstreamConfiguration(
                database: try VerificationEndpoint(configured: "\(url)/old", plainHTTP: .anywhere))
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let access = DatabaseAccess(
                store: store, database: "db", authenticators: Authenticators(configuration), logger: logger)
            let tokens = try #require(access.tokens)
            let made = UpstreamFollower(
                tokens, accounts: access.accounts, isFollowed: { scene.isFollowed() }, clock: scene.clock, logger: logger)
            let follower = try #require(made)
            let login = try await access.login(request, RequestInfo())
            #expect(login?.principal == .user("waldo"))
            follower.recordFirstLogin(of: "waldo")
            try await body(scene, server, access, follower)
            await follower.close()
            await access.close()
        }
        try await store.close()
    }

    private let credentials = UpstreamLogin.Credentials.basic(user: "waldo", password: Secret("where"))

    private var request: Request {
        let header = BasicCredentials(user: "waldo", password: "where").authorization
        return Request(
            head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/db/", headerFields: [.authorization: header]),
            body: RequestBody(buffer: ByteBuffer()))
    }

    private func logIn(_ access: DatabaseAccess, _ follower: UpstreamFollower) async throws {
        let user = try await access.accounts.user("waldo")
        follower.recordLogin(of: try #require(user), with: credentials)
    }

    private func channels(_ access: DatabaseAccess) async throws -> Set<String> {
        let account = try await access.accounts.account(.user("waldo"))
        return Set(try #require(account).access.values.flatMap(\.channels.keys))
    }

    private func wait(for expected: Set<String>, _ access: DatabaseAccess) async throws {
        try await eventually { try await channels(access) == expected }
    }

    @Test("Channels are added and removed, with one request for each user in an interval")
    func channels() async throws {
        try await run { scene, server, access, follower in
            try await wait(for: ["!", "orders"], access)
            scene.give(#"{"!":1,"orders":7,"news":9}"#)
            let calls = server.calls.count
            try await logIn(access, follower)
            scene.advance(UpstreamFollower.interval - 1)
            try await logIn(access, follower)
            #expect(server.calls.count == calls)
            scene.advance(1)
            try await logIn(access, follower)
            try await wait(for: ["!", "orders", "news"], access)
            #expect(server.calls.count == calls + 1)
            scene.give(#"{"!":1,"news":9}"#)
            scene.advance(UpstreamFollower.interval)
            try await logIn(access, follower)
            try await wait(for: ["!", "news"], access)
        }
    }

    @Test(
        "A failure or refusal of the server changes nothing, and an unreachable server is not asked for a while",
        arguments: [401, 404, 503])
    func failures(status: Int) async throws {
        try await run { scene, server, access, follower in
            scene.give("{}", status: status)
            scene.advance(UpstreamFollower.interval)
            let calls = server.calls.count
            try await logIn(access, follower)
            await eventually { server.calls.count != calls }
            #expect(try await channels(access) == ["!", "orders"])
            scene.give(#"{"!":1,"news":9}"#)
            // The reply may not have been processed yet, so that the pause begins later.
            while try await channels(access) != ["!", "news"] {
                scene.advance(UpstreamFollower.pause)
                try await logIn(access, follower)
                await Task.yield()
            }
        }
    }

    @Test("A detached server is not asked")
    func detached() async throws {
        try await run { scene, server, access, follower in
            scene.give(#"{"!":1,"news":9}"#)
            scene.follow(false)
            scene.advance(UpstreamFollower.interval)
            let calls = server.calls.count
            try await logIn(access, follower)
            await eventually { scene.timesLooked > 0 }
            await follower.close()
            #expect(server.calls.count == calls)
            #expect(try await channels(access) == ["!", "orders"])
        }
    }

    @Test("The old server is not asked about users that it no longer authenticates")
    func ended() async throws {
        try await run { scene, server, access, follower in
            try await access.accounts.endSessions(of: "waldo")
            scene.advance(UpstreamFollower.interval)
            let calls = server.calls.count
            try await logIn(access, follower)
            await follower.close()
            #expect(server.calls.count == calls && scene.timesLooked == 0)
        }
    }
}
