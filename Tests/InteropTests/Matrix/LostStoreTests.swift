import Coordination
import Documents
import ReplicationService
import Storage
import Telemetry
import Testing

@testable import Server

/// Every endpoint while the server of the store is away, and before the bridge has noticed that.
@Suite("Every request without the store")
struct LostStoreTests {
    /// A store whose connection can be lost. Nothing watches it.
    private final class LosableStore: StoreEngine {
        private let base: any StoreEngine
        let isLost = Lock(false)

        init(_ base: any StoreEngine) {
            self.base = base
        }

        var path: String { base.path }
        var metrics: MetricsRegistry { base.metrics }
        var restriction: String? { nil }
        var isShared: Bool { false }
        var commitCount: UInt64 { base.commitCount }
        var waiterCount: Int { base.waiterCount }
        var queuedReads: Int { base.queuedReads }
        var queuedWrites: Int { base.queuedWrites }

        private func connect() throws {
            if isLost.withLock(\.self) { throw StorageError(.inputOutput, "the connection failed") }
        }

        func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
            try connect()
            return try await base.write(work)
        }

        func read<Value: Sendable>(
            as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
        ) async throws -> Value {
            try connect()
            return try await base.read(as: share, work)
        }

        func check(limit: Int, progress: @escaping @Sendable (CheckProgress) -> Void) async throws -> CheckReport {
            try connect()
            return try await base.check(limit: limit, progress: progress)
        }

        func commits() -> CommitSubscription { base.commits() }
        func commits(for scope: FeedScope) -> CommitSubscription { base.commits(for: scope) }
        func close() async throws { try await base.close() }
    }

    /// A client that reads the status of a feed that fails. For others the feed breaks off.
    private static let agent = "User-Agent: CouchbaseLite/1.4 (iOS)\r\n"

    private func withoutStore(_ body: @Sendable (MatrixWorld) async throws -> Void) async throws {
        try await MatrixWorld.run(guest: false) { (world) async throws in
            let databases = world.bridge.bridge.databases
            let old = try #require(databases["shop"])
            let store = LosableStore(old.store)
            await old.replications.close()
            await old.resync.stop()
            await old.misplaced.stop()
            await old.expiry.stop()
            databases.put(try await databases.start(old.served, old.input, old.origin, store: store, isOnline: true))
            _ = try await world.documents(0)
            store.isLost.withLock { $0 = true }
            try await body(world)
            store.isLost.withLock { $0 = false }
            #expect(try await world.bridge.ask("GET", "/_ping").status == 200)
        }
    }

    /// Expects 503 with `Retry-After`, or the answer as with the store where the request needs none.
    private func expectUnavailable(_ rows: [MatrixRow], _ prefix: String, _ callers: [MatrixCaller]) async throws {
        try await withoutStore { (world) async throws in
            for row in rows {
                for caller in callers {
                    func fill(_ text: String) -> String {
                        text.replacing("CALLER", with: "x").replacing("ID", with: "hidden0").replacing("REV", with: "1-ab")
                    }
                    guard
                        let answer = try? await world.ask(
                            caller, row.method, prefix + fill(row.path), fill(row.body), headers: row.headers + Self.agent)
                    else {
                        Issue.record("\(row.route) \(row.path) by \(caller.rawValue): no answer")
                        continue
                    }
                    let isUnavailable = answer.status == 503 && answer["Retry-After"] != nil
                    #expect(
                        isUnavailable || answer.status == row.expected(caller),
                        "\(row.route) by \(caller.rawValue): \(answer.head) \(answer.text)")
                }
            }
        }
    }

    @Test("Documents, attachments, feeds and lists", arguments: ["/shop/", "/shop._default._default/"])
    func legacy(prefix: String) async throws {
        try await expectUnavailable(MatrixRow.legacy, prefix, [.userWithChannel, .userWithoutChannel, .administrator])
    }

    @Test("Logins, users and roles")
    func ofDatabase() async throws {
        try await expectUnavailable(MatrixRow.ofDatabase, "/shop/", [.userWithChannel, .userWithoutChannel, .administrator])
    }

    @Test("Databases as a whole")
    func ofAdministrators() async throws {
        try await expectUnavailable(MatrixRow.lasting, "/shop/", [.administrator])
    }

    @Test("The server itself; `_status` shows the database as unreachable")
    func ofServer() async throws {
        try await expectUnavailable(MatrixRow.ofServer, "/", [.administrator])
        try await withoutStore { (world) async throws in
            let shop = try await world.ask(.administrator, "GET", "/_status").json["databases"]?["shop"]
            #expect(shop?["state"]?.string == "Unreachable" && shop?["reason"]?.string == "the connection failed")
        }
    }

    @Test("Requests with valid bodies, a login, and a collection that is not known yet")
    func valid() async throws {
        let rows: [(MatrixCaller, String, String, String)] = [
            (.userWithoutChannel, "GET", "/shop/", ""), (.userWithoutChannel, "GET", "/shop.sales.new/_changes", ""),
            (.noCredentials, "POST", "/shop/_session", #"{"name":"insider","password":"U*U"}"#),
            (.administrator, "GET", "/shop.sales.new/_changes", ""), (.administrator, "GET", "/shop.sales.new/_raw/a", ""),
            (.userWithChannel, "POST", "/shop/_bulk_docs", #"{"docs":[{"_id":"a"},{"_id":"b"}]}"#),
            (.userWithChannel, "POST", "/shop/_revs_diff", #"{"a":["1-ab"]}"#),
            (.administrator, "PUT", "/shop/_user/x", #"{"name":"x","password":"secret","admin_channels":["a"]}"#),
            (.administrator, "PUT", "/shop/_role/x", #"{"name":"x","admin_channels":["a"]}"#),
            (.administrator, "POST", "/shop/_session", #"{"name":"insider"}"#),
            (.administrator, "POST", "/shop/_purge", #"{"hidden0":["*"]}"#),
            (.administrator, "PUT", "/shop/_config", "{}"), (.administrator, "PUT", "/shop/_config/sync", "function (doc) {}"),
            (.administrator, "POST", "/shop/_migrations", #"{"action":"start"}"#),
            (.administrator, "POST", "/shop/_parked", #"{"action":"retry"}"#), (.administrator, "GET", "/shop/_parked", ""),
            (.administrator, "PUT", "/shop/_replication/r", #"{"remote":"http://127.0.0.1:1/a","direction":"pull","continuous":true}"#),
            (.administrator, "GET", "/shop/_fleet", ""), (.administrator, "GET", "/shop/_overview", ""),
        ]
        try await withoutStore { (world) async throws in
            for (caller, method, path, body) in rows {
                let answer = try await world.ask(caller, method, path, body)
                #expect(answer.status == 503 && answer["Retry-After"] != nil, "\(method) \(path): \(answer.head) \(answer.text)")
            }
        }
    }
}
