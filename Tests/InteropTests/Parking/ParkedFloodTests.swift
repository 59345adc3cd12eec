import Documents
import Gateway
import Server
import Storage
import TestSupport
import Testing

@Suite("Many refused revisions, and revisions that are refused for their size", .serialized)
struct ParkedFloodTests {
    private static let picky = "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }"

    private func replicate(_ here: RunningBridge, with there: RunningBridge, _ scheme: String) async throws {
        let body = #"{"remote":"\#(scheme)://127.0.0.1:\#(there.port)/shop","direction":"push","continuous":true}"#
        #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
    }

    private func parked(_ bridge: RunningBridge, _ query: String = "") async throws -> (ids: [String], reasons: [String], total: Int?) {
        let answer = try JSONValue(try await bridge.admin("GET", "/shop/_parked?\(query)").body)
        let rows = answer["parked"]?.array ?? []
        return (rows.compactMap { $0["id"]?.string }, rows.compactMap { $0["reason"]?.string }, answer["total"]?.int)
    }

    private func arrive(_ path: String, at bridge: RunningBridge) async throws {
        try await eventually { try await bridge.ask("GET", path).status == 200 }
    }

    @Test("Many parked revisions do not delay others, are listed by page, and are sent again together", arguments: ["ws", "http"])
    func flood(scheme: String) async throws {
        let count = 250
        try await RunningBridge.run({ database in
            database.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        }) { (there) async throws in
            try await RunningBridge.run { here in
                let bad = (0..<count).map { #"{"_id":"bad\#($0)","bad":true}"# }.joined(separator: ",")
                #expect(try await here.ask("POST", "/shop/_bulk_docs", "{\"docs\":[\(bad)]}").status == 201)
                #expect(try await here.ask("PUT", "/shop/good", "{}").status == 201)
                try await replicate(here, with: there, scheme)
                try await arrive("/shop/good", at: there)
                try await eventually { try await parked(here).total == count }
                var found: Set<String> = []
                for skip in stride(from: 0, to: count, by: 100) { found.formUnion(try await parked(here, "limit=100&skip=\(skip)").ids) }
                #expect(found.count == count)
                #expect(try await there.admin("DELETE", "/shop._default._default/_config/sync").status == 200)
                let done = try JSONValue(try await here.admin("POST", "/shop/_parked", #"{"action":"retry"}"#).body)
                #expect(done["done"]?.int == count && done["total"]?.int == 0, "\(done)")
                #expect(try await there.ask("GET", "/shop/bad\(count - 1)").status == 200)
            }
        }
    }

    @Test(
        "A revision that is too large for the other side is parked, and is sent when it has been made smaller", arguments: ["ws", "http"])
    func size(scheme: String) async throws {
        try await RunningBridge.run({ $0.limits.documentSize = 2_000 }) { (there) async throws in
            try await RunningBridge.run { here in
                let large = "{\"text\":\"\(String(repeating: "x", count: 4_000))\"}"
                let first = try JSONValue(try await here.ask("PUT", "/shop/large", large).body)
                #expect(try await here.ask("PUT", "/shop/small", "{}").status == 201)
                try await replicate(here, with: there, scheme)
                try await arrive("/shop/small", at: there)
                try await eventually { try await parked(here).total == 1 }
                let entry = try await parked(here)
                #expect(entry.ids == ["large"] && entry.reasons.allSatisfy { !$0.isEmpty })
                let revision = try #require(first["rev"]?.string)
                #expect(try await here.ask("PUT", "/shop/large?rev=\(revision)", "{}").status == 201)
                try await arrive("/shop/large", at: there)
                try await eventually { try await parked(here).total == 0 }
            }
        }
    }
}
