import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Stores
import TestSupport
import Testing

@testable import Server

/// A migration that an administrator has started, and that its bridge does not end.
@Suite("A migration that another process continues", .timeLimit(.minutes(3)))
struct ContinuedMigrationTests {
    private static let count = 300

    /// Takes ten milliseconds for each document, so that a migration takes seconds.
    private static let slowly = "function (doc) { var start = Date.now(); while (Date.now() - start < 10) {} return doc.late === true; }"

    private func slow(_ database: inout DatabaseConfiguration) {
        let orders = CollectionName(scope: "sales", name: "orders")
        database.routes = [Route(to: orders, when: .javaScript(Self.slowly))]
    }

    /// Writes documents to the default collection directly, where no route applies.
    private func fill(_ bridge: RunningBridge) async throws {
        let documents = (0..<Self.count).map { #"{"_id":"late\#($0)","late":true}"# }.joined(separator: ",")
        let answer = try await bridge.ask("POST", "/shop._default._default/_bulk_docs", #"{"docs":[\#(documents)]}"#)
        #expect(answer.status == 201)
    }

    private func progress(_ bridge: RunningBridge) async throws -> JSONValue {
        try await bridge.admin("GET", "/shop/_migrations").json
    }

    /// Starts a migration, and returns after its first step.
    private func begin(_ bridge: RunningBridge) async throws {
        #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"start"}"#).status == 200)
        try await eventually { try await progress(bridge)["examined"]?.int ?? 0 > 0 }
    }

    private func expectDone(_ bridge: RunningBridge) async throws {
        try await eventually { try await progress(bridge)["runs"]?.array?.last?["state"]?.string == "done" }
        let runs = try await progress(bridge)["runs"]?.array
        #expect(runs?.count == 1)
        let moved = try await bridge.ask("GET", "/shop.sales.orders/_all_docs").json["rows"]?.array?.count
        #expect(moved == Self.count)
        try await bridge.expectSound(after: "a migration")
    }

    @Test("The bridge that takes the lease over goes on with it")
    func takeover() async throws {
        let store = try TestStores.postgreSQL(UUID().uuidString)
        try await RunningBridge.run(slow, serving: { $0.store = store }) { first in
            try await RunningBridge.run(slow, serving: { $0.store = store }) { second in
                try await fill(first)
                try await begin(first)
                try await first.bridge.stop()
                let examined = first.bridge.databases["shop"]?.moves.progress.summary.examined ?? 0
                #expect(examined < Self.count)
                try await expectDone(second)
                // It has not begun anew.
                #expect(try await progress(second)["examined"]?.int ?? 0 <= Self.count - 100)
            }
        }
    }

    @Test(
        "It goes on by itself after a time without the store, and says so meanwhile",
        .enabled(if: ProcessInfo.processInfo.environment["DUALGAUGE_POSTGRES"] == nil))
    func storeAway() async throws {
        let proxy = try TestStores.proxy()
        defer { proxy.close() }
        let store = try TestStores.location(of: try TestStores.postgreSQL(UUID().uuidString), by: proxy)
        try await RunningBridge.run(slow, serving: { $0.store = store }) { (bridge) async throws in
            try await fill(bridge)
            try await begin(bridge)
            proxy.shut()
            let moves = try #require(bridge.bridge.databases["shop"]?.moves)
            await eventually { moves.progress.error != nil }
            #expect(moves.progress.activity == .running)
            proxy.open()
            try await expectDone(bridge)
            #expect(try await progress(bridge)["last_error"]?.string == "")
        }
    }

    @Test("So does the only bridge after a restart, for a migration and for its revert")
    func restart() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            try await fill(bridge)
            try await begin(bridge)
        }
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            try await expectDone(bridge)
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"revert"}"#).status == 200)
            try await eventually { try await progress(bridge)["runs"]?.array?.last?["state"]?.string == "reverting" }
        }
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            try await eventually { try await progress(bridge)["runs"]?.array?.last?["state"]?.string == "reverted" }
            #expect(try await bridge.ask("GET", "/shop._default._default/_all_docs").json["rows"]?.array?.count == Self.count)
            try await bridge.expectSound(after: "a revert")
        }
        // Nothing is reverted or begun again.
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            #expect(try await progress(bridge)["state"]?.string == "idle")
        }
    }

    @Test("A paused migration stays paused, and a change of the routes ends the order")
    func paused() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            try await fill(bridge)
            try await begin(bridge)
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"pause"}"#).status == 200)
        }
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            let idle = try await progress(bridge)
            #expect(idle["state"]?.string == "idle" && idle["runs"]?.array?.last?["state"]?.string == "running")
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"resume"}"#).status == 200)
            try await eventually { try await progress(bridge)["examined"]?.int ?? 0 > 0 }
        }
        try await RunningBridge.run(in: folder) { (bridge) async throws in
            #expect(try await progress(bridge)["state"]?.string == "idle")
        }
        try await RunningBridge.run(slow, in: folder) { (bridge) async throws in
            #expect(try await progress(bridge)["state"]?.string == "idle")
        }
    }
}
