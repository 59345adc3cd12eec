import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Storage
import Stores
import TestSupport
import Testing

@Suite("Changes at the admin port of another bridge", .timeLimit(.minutes(3)))
struct FollowingTests {
    @Test("A database that is made, configured, emptied and removed at one bridge is so at the other one")
    func databases() async throws {
        try await TestPostgreSQL.withDatabase("home_" + UUID().uuidString.prefix(8).lowercased()) { url in
            let change: @Sendable (inout ServerConfiguration) -> Void = {
                $0.databasesFolder = url
                $0.allowsFlush = true
            }
            try await RunningBridge.run(configuring: change) { first in
                try await RunningBridge.run(configuring: change) { second in try await follow(first, second) }
            }
        }
    }

    @Test("A change of a database of the file holds at one bridge alone, and the answer says so while there are others")
    func fileConfiguration() async throws {
        let store = try TestStores.postgreSQL(UUID().uuidString)
        try await RunningBridge.run(serving: { $0.store = store }) { first in
            let alone = try await first.admin("POST", "/shop/_config", #"{"revs_limit":40}"#)
            #expect(alone.status == 201 && alone.body.isEmpty, "\(alone.text)")
            try await RunningBridge.run(serving: { $0.store = store }) { second in
                try await eventually {
                    try await first.admin("GET", "/_status").json["databases"]?["shop"]?["bridges"]?.array?.count == 2
                }
                let answer = try await first.admin("POST", "/shop/_config", #"{"revs_limit":33}"#)
                #expect(answer.status == 201)
                #expect(try answer.json["warning"]?.string?.contains("not at the other bridges") == true)
                #expect(try await second.admin("GET", "/shop/_config").json["revs_limit"]?.int != 33)
                let function = try await second.admin("PUT", "/shop/_config/sync", "function (doc) {}")
                #expect(try function.status == 200 && function.json["warning"]?.string != nil)
            }
        }
    }

    @Test("From the moment at which one bridge has emptied a database, the other one answers 503 or from the new store", arguments: 0..<5)
    func emptied(round: Int) async throws {
        let store = try TestStores.postgreSQL(UUID().uuidString)
        let serve: @Sendable (inout ServerConfiguration.ServedDatabase) -> Void = {
            $0.store = store
            $0.allowsFlush = true
        }
        try await RunningBridge.run(serving: serve) { first in
            try await RunningBridge.run(serving: serve) { second in
                #expect(try await second.ask("PUT", "/shop/a", #"{"type":"order"}"#).status == 201)
                #expect(try await first.admin("POST", "/shop/_flush").status == 200)
                let read = try await second.ask("GET", "/shop/a")
                #expect(read.status == 404 || read.status == 503 && read["Retry-After"] != nil, "\(read.head)")
                let write = try await second.ask("PUT", "/shop/b", #"{"type":"order"}"#)
                #expect(write.status == 201 || write.status == 503 && write["Retry-After"] != nil, "\(write.head)")
                try await eventually { try await second.ask("PUT", "/shop/c", #"{"type":"order"}"#).status == 201 }
                #expect(try await first.ask("GET", "/shop/c").status == 200)
                #expect(try await first.ask("GET", "/shop.sales.orders/c").status == 200)
                let opened = try await store.open()
                let report = try await opened.check()
                #expect(report.isSound, "\(report.problems)")
                try await opened.close()
            }
        }
    }

    private func follow(_ first: RunningBridge, _ second: RunningBridge) async throws {
        #expect(try await first.admin("PUT", "/stock/", #"{"guest":{"disabled":false,"admin_channels":["*"]}}"#).status == 201)
        try await eventually { try await second.ask("GET", "/stock/").status == 200 }
        #expect(try await second.ask("PUT", "/stock/a", "{}").status == 201)
        #expect(try await first.ask("GET", "/stock/a").status == 200)
        // The limit of a document shows which configuration holds.
        let limited = #"{"guest":{"disabled":false,"admin_channels":["*"]},"revs_limit":33}"#
        #expect(try await second.admin("PUT", "/stock/_config", limited).status == 201)
        try await eventually { try await first.admin("GET", "/stock/_config").json["revs_limit"]?.int == 33 }
        // It is 503 while the bridge still applies the configuration.
        try await eventually { try await first.admin("POST", "/stock/_flush").status == 200 }
        try await eventually { try await second.ask("GET", "/stock/a").status == 404 }
        // It is 503 while the bridge opens the new store.
        try await eventually { try await second.ask("PUT", "/stock/b", "{}").status == 201 }
        #expect(try await first.ask("GET", "/stock/b").status == 200)
        try await eventually { try await first.admin("DELETE", "/stock/").status == 200 }
        try await eventually { try await second.ask("GET", "/stock/").status == 404 }
    }
}
