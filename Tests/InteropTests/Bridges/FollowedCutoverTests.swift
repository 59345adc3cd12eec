import BridgeConfiguration
import Coordination
import Cutover
import Documents
import Foundation
import Gateway
import Storage
import Stores
import TestSupport
import Testing

@testable import Server

/// A cutover whose steps and rules for devices are set at the admin port of one bridge.
@Suite("A cutover at two bridges", .timeLimit(.minutes(3)))
struct FollowedCutoverTests {
    /// Runs two bridges with one store in front of an old server. The first one has the lease.
    ///
    /// - Parameter proxy: The second one's way to the store.
    private func run(
        at stage: CutoverStage, by proxy: PostgreSQLProxy? = nil,
        _ body: @escaping @Sendable (CutoverWorld, CutoverWorld) async throws -> Void
    ) async throws {
        let store = try TestStores.postgreSQL(UUID().uuidString)
        let other = try proxy.map { try TestStores.location(of: store, by: $0) } ?? store
        let configure: @Sendable (inout CutoverConfiguration) -> Void = {
            $0.firstStage = stage
            $0.devices = DevicesConfiguration()
        }
        try await CutoverWorld.withOld { old in
            try await CutoverWorld.run(over: old, configure, database: { $0.store = store }) { first in
                try await CutoverWorld.run(over: old, configure, database: { $0.store = other }) { try await body(first, $0) }
            }
        }
    }

    private func set(_ rules: String, at world: CutoverWorld) async throws {
        let answer = try await world.new.admin("POST", "/shop/_cutover/devices", rules)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func rules(_ world: CutoverWorld) async throws -> JSONValue {
        try await world.new.admin("GET", "/shop/_cutover/devices").json
    }

    /// The sides of guests at some addresses and of some users, in the rules that a bridge applies.
    private func sides(_ world: CutoverWorld) throws -> [Bool] {
        let rules = try #require(world.new.bridge.databases["shop"]?.devices?.rules)
        return (0..<200).map { rules.moves(.user("user\($0)")) }
    }

    @Test("The rules for devices that were set at one bridge hold at the other one within seconds, and in the other direction")
    func devices() async throws {
        try await run(at: .dual) { first, second in
            #expect(try await second.new.ask("PUT", "/shop/passed", "{}").status == 201)
            #expect(try await first.old.ask("GET", "/shop/passed").status == 200)
            try await set(#"{"addresses":["127.0.0.1"]}"#, at: first)
            try await eventually { try await rules(second)["addresses"]?.array?.count == 1 }
            #expect(try await second.new.ask("PUT", "/shop/here", "{}").status == 201)
            let groups = try await rules(second)["groups"]
            #expect(groups?["oldServer"]?["received"]?.int == 1 && groups?["here"]?["received"]?.int == 1)
            // The first bridge has the document at once, whatever the replication does.
            #expect(try await first.new.admin("GET", "/shop/here").status == 200)
            try await set(#"{"addresses":["127.0.0.1"],"users":["anna"]}"#, at: second)
            try await eventually { try await rules(first)["users"]?.array?.count == 1 }
            // The gates of a way back measure the replications of the bridge with the lease.
            let refused = try await second.new.admin("POST", "/shop/_cutover/devices", #"{"back":true}"#)
            #expect(refused.status == 503 && refused.text.contains("The bridge "), "\(refused.text)")
            let lag = try await second.status()["gates"]?.array?.first { $0["name"]?.string == "lag" }
            #expect(lag?["message"]?.string?.contains("runs the replications; ask there") == true, "\(String(describing: lag))")
            try await set(#"{"back":true,"force":true,"reason":"a test"}"#, at: first)
            try await eventually { try await rules(second)["addresses"]?.array?.isEmpty == true }
            #expect(try await second.new.ask("PUT", "/shop/again", "{}").status == 201)
            #expect(try await first.old.ask("GET", "/shop/again").status == 200)
        }
    }

    @Test("A percentage moves the same users at both bridges")
    func percentage() async throws {
        try await run(at: .dual) { first, second in
            for percent in [37, 74] {
                try await set(#"{"percent":\#(percent)}"#, at: first)
                try await eventually { try await rules(second)["percent"]?.int == percent }
                let (here, there) = (try sides(first), try sides(second))
                #expect(here == there)
                #expect((percent - 20...percent + 20).contains(here.filter { $0 }.count / 2))
            }
        }
    }

    @Test("A step at the bridge with the lease holds at the other one, which refuses steps; at the end it refuses 1.x clients")
    func stages() async throws {
        try await run(at: .shadow) { first, second in
            #expect(try await second.new.ask("PUT", "/shop/a", "{}").status == 201)
            #expect(try await first.old.ask("GET", "/shop/a").status == 200)
            let refused = try await second.ask(#"{"action":"advance","force":true,"reason":"a test"}"#)
            #expect(refused.status == 503 && refused.text.contains("The bridge ") && refused["Retry-After"] != nil, "\(refused.text)")
            for stage in [CutoverStage.dual, .switched, .complete, .sunset] {
                try await first.force(.advance)
                #expect(try await first.stage == stage.rawValue)
                try await eventually { try await second.stage == stage.rawValue }
            }
            #expect(try await second.new.ask("GET", "/shop/a").status == 400)
            #expect(try await second.new.ask("PUT", "/shop/b", "{}").status == 403)
        }
    }

    @Test("While a bridge ends the pull from the old server, the other one passes no write on that the pull would miss")
    func lastWrites() async throws {
        try await run(at: .dual) { first, second in
            let isOver = Lock(false)
            async let written = {
                var acknowledged: [String] = []
                var count = 0
                while !isOver.withLock(\.self), !Task.isCancelled {
                    let id = "w\(count)"
                    count += 1
                    // A request that is being passed on at the step may end without an answer.
                    if (try? await second.new.ask("PUT", "/shop/\(id)", "{}").status) == 201 { acknowledged.append(id) }
                }
                return acknowledged
            }()
            try await eventually { try await first.old.ask("GET", "/shop/w0").status == 200 }
            try await first.force(.advance)
            #expect(try await second.stage == "switched")
            try await eventually { try await second.new.admin("GET", "/shop/_changes").text.contains("w") }
            isOver.withLock { $0 = true }
            let all = await written
            #expect(all.count > 10)
            try await eventually {
                let ids = try await first.new.admin("GET", "/shop/_all_docs").json["rows"]?.array?.compactMap { $0["id"]?.string }
                return Set(all).isSubset(of: ids ?? [])
            }
        }
    }

    @Test(
        "A bridge that comes back from a time without the store, in which a step has ended the pull, has passed nothing on that is missed",
        .enabled(if: ProcessInfo.processInfo.environment["DUALGAUGE_POSTGRES"] == nil))
    func cutOff() async throws {
        let proxy = try TestStores.proxy()
        defer { proxy.close() }
        try await run(at: .dual, by: proxy) { first, second in
            let isOver = Lock(false)
            async let written = {
                var acknowledged: [String] = []
                while !isOver.withLock(\.self), !Task.isCancelled {
                    let id = UUID().uuidString
                    if (try? await second.new.ask("PUT", "/shop/\(id)", "{}").status) == 201 { acknowledged.append(id) }
                }
                return acknowledged
            }()
            proxy.shut()
            // A request that is being passed on ends without an answer.
            await eventually { (try? await second.new.ask("PUT", "/shop/a", "{}").status) == 503 }
            // The step waits until the second bridge has been silent for long enough.
            try await first.force(.advance)
            proxy.open()
            await eventually { (try? await second.new.ask("PUT", "/shop/b", "{}").status) == 201 }
            #expect(try await first.new.admin("GET", "/shop/b").status == 200)
            isOver.withLock { $0 = true }
            let all = await written
            try await eventually {
                let ids = try await first.new.admin("GET", "/shop/_all_docs").json["rows"]?.array?.compactMap { $0["id"]?.string }
                return Set(all).isSubset(of: ids ?? [])
            }
        }
    }

    @Test("A step that a bridge has announced, and not ended, is void at the bridge that takes the lease over")
    func abandoned() async throws {
        try await run(at: .dual) { first, second in
            try await first.new.store.write { try $0.set("switched", forSetting: "cutover.next") }
            try await eventually { try await second.stage == "switched" }
            try await first.new.bridge.stop()
            try await eventually { try await second.stage == "dual" }
            #expect(try await first.new.store.read { try $0.setting("cutover.next") } == nil)
            try await second.force(.advance)
            #expect(try await second.stage == "switched")
        }
    }
}
