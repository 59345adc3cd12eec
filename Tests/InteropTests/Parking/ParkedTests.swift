import Documents
import Gateway
import SQLiteStorage
import Server
import Storage
import TestSupport
import Testing

@Suite("Revisions that one side of a replication refuses")
struct ParkedTests {
    private static let picky = "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }"

    private func parked(_ bridge: RunningBridge) async throws -> JSONValue {
        try JSONValue(try await bridge.admin("GET", "/shop/_parked").body)
    }

    /// Polls until a number of revisions is parked.
    @discardableResult
    private func parked(_ bridge: RunningBridge, _ count: Int) async throws -> [JSONValue] {
        while true {
            let answer = try await parked(bridge)
            if answer["total"]?.int == count { return answer["parked"]?.array ?? [] }
        }
    }

    private func wait(_ bridge: RunningBridge, for path: String, status: Int = 200) async throws {
        try await eventually { try await bridge.ask("GET", path).status == status }
    }

    private func replicate(_ here: RunningBridge, with there: RunningBridge, _ scheme: String, _ direction: String) async throws {
        let body = #"{"remote":"\#(scheme)://127.0.0.1:\#(there.port)/shop","direction":"\#(direction)","continuous":true}"#
        #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
    }

    private func act(_ bridge: RunningBridge, _ body: String) async throws -> JSONValue {
        let answer = try await bridge.admin("POST", "/shop/_parked", body)
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONValue(answer.body)
    }

    @Test(
        "A refused pushed revision is listed with the reason, does not delay others, and is sent again on request",
        arguments: ["ws", "http"])
    func pushed(scheme: String) async throws {
        try await RunningBridge.run({ database in
            database.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        }) { (there) async throws in
            try await RunningBridge.run { here in
                #expect(try await here.ask("PUT", "/shop/a", #"{"bad":true}"#).status == 201)
                #expect(try await here.ask("PUT", "/shop/b", "{}").status == 201)
                try await replicate(here, with: there, scheme, "push")
                try await wait(there, for: "/shop/b")
                let entry = try #require(try await parked(here, 1).first)
                #expect(entry["id"]?.string == "a" && entry["direction"]?.string == "push" && entry["replication"]?.string == "r")
                #expect(entry["collection"]?.string?.isEmpty == true && entry["revision"]?.string?.hasPrefix("1-") == true)
                #expect(entry["reason"]?.string?.contains("not like this") == true, "\(entry)")
                #expect([403, 10_403].contains(entry["code"]?.int ?? 0) && entry["attempts"]?.int == 1)
                let metrics = try await here.admin("GET", "/metrics").text
                #expect(metrics.contains(#"dualgauge_parked_revisions{database="shop"} 1"#))
                // It is refused again, and the count is higher.
                let refused = try await act(here, #"{"action":"retry"}"#)
                #expect(refused["refused"]?.int == 1 && refused["total"]?.int == 1, "\(refused)")
                #expect(try await parked(here, 1).first?["attempts"]?.int == 2)
                // The other side accepts it from here on.
                #expect(try await there.admin("DELETE", "/shop._default._default/_config/sync").status == 200)
                let done = try await act(here, #"{"action":"retry","replication":"r","id":"a"}"#)
                #expect(done["done"]?.int == 1 && done["total"]?.int == 0, "\(done)")
                #expect(try await there.ask("GET", "/shop/a").status == 200)
            }
        }
    }

    @Test(
        "A refused pulled revision is fetched again on request, and leaves the list when a newer revision arrives",
        arguments: ["ws", "http"])
    func pulled(scheme: String) async throws {
        try await RunningBridge.run { there in
            let first = try JSONValue(try await there.ask("PUT", "/shop/a", #"{"bad":true}"#).body)
            for id in ["b", "c"] { #expect(try await there.ask("PUT", "/shop/\(id)", #"{"bad":true}"#).status == 201) }
            #expect(try await there.ask("PUT", "/shop/d", "{}").status == 201)
            try await RunningBridge.run({ database in
                database.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
            }) { (here) async throws in
                try await replicate(here, with: there, scheme, "pull")
                try await wait(here, for: "/shop/d")
                #expect(Set(try await parked(here, 3).compactMap { $0["id"]?.string }) == ["a", "b", "c"])
                let revision = try #require(first["rev"]?.string)
                #expect(try await there.ask("PUT", "/shop/a?rev=\(revision)", "{}").status == 201)
                try await wait(here, for: "/shop/a")
                try await parked(here, 2)
                #expect(try await here.admin("DELETE", "/shop._default._default/_config/sync").status == 200)
                let done = try await act(here, #"{"action":"retry","id":"b"}"#)
                #expect(done["done"]?.int == 1 && done["total"]?.int == 0, "\(done)")
                #expect(try await here.ask("GET", "/shop/b").status == 200)
                #expect(try await act(here, #"{"action":"forget"}"#)["forgotten"]?.int == 1)
                #expect(try await here.ask("GET", "/shop/c").status == 404)
                try await parked(here, 0)
            }
        }
    }

    @Test("A newer revision that succeeds removes the older one from the list", arguments: ["ws", "http"])
    func overtaken(scheme: String) async throws {
        try await RunningBridge.run({ database in
            database.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        }) { (there) async throws in
            try await RunningBridge.run { here in
                let first = try JSONValue(try await here.ask("PUT", "/shop/a", #"{"bad":true}"#).body)
                try await replicate(here, with: there, scheme, "pushAndPull")
                try await parked(here, 1)
                let revision = try #require(first["rev"]?.string)
                #expect(try await here.ask("PUT", "/shop/a?rev=\(revision)", #"{"good":true}"#).status == 201)
                try await wait(there, for: "/shop/a")
                try await parked(here, 0)
                // Its parked revisions are removed with the replication.
                #expect(try await here.ask("PUT", "/shop/b", #"{"bad":true}"#).status == 201)
                try await parked(here, 1)
                #expect(try await here.admin("DELETE", "/shop/_replication/r").status == 200)
                try await parked(here, 0)
            }
        }
    }

    @Test("A document ID too long for 2.x+ is listed with the remedy, refused again, and leaves the list with a deletion or purge")
    func longID() async throws {
        let (deleted, purged) = (String(repeating: "d", count: 245), String(repeating: "p", count: 250))
        try await RunningBridge.run { there in
            try await RunningBridge.run { here in
                let first = try JSONValue(try await here.ask("PUT", "/shop/\(deleted)", "{}").body)
                for id in [purged, "b"] { #expect(try await here.ask("PUT", "/shop/\(id)", "{}").status == 201) }
                try await replicate(here, with: there, "ws", "pushAndPull")
                try await wait(there, for: "/shop/b")
                let entries = try await parked(here, 2)
                #expect(Set(entries.compactMap { $0["id"]?.string }) == [deleted, purged])
                #expect(entries.allSatisfy { $0["reason"]?.string?.contains("240") == true && $0["direction"]?.string == "push" })
                let refused = try await act(here, #"{"action":"retry"}"#)
                #expect(refused["refused"]?.int == 2 && refused["total"]?.int == 2, "\(refused)")
                let revision = try #require(first["rev"]?.string)
                #expect(try await here.ask("DELETE", "/shop/\(deleted)?rev=\(revision)").status == 200)
                try await parked(here, 1)
                #expect(try await here.admin("POST", "/shop/_purge", #"{"\#(purged)":["*"]}"#).status == 200)
                try await parked(here, 0)
            }
        }
    }

    @Test("A retry at an unreachable upstream reports that nothing was tried", arguments: ["ws", "http"])
    func unreachable(scheme: String) async throws {
        let port = try await gone()
        try await RunningBridge.run { here in
            #expect(try await here.ask("PUT", "/shop/a", "{}").status == 201)
            let body = #"{"remote":"\#(scheme)://127.0.0.1:\#(port)/shop","direction":"push","initial_state":"stopped"}"#
            #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
            let revision = try #require(try JSONValue(try await here.ask("GET", "/shop/a").body)["_rev"]?.string)
            for replication in ["r", "other"] {
                let parked = ParkedRevision(
                    replication: replication, direction: .push, collection: "", id: "a", revision: revision, domain: "d", code: 403,
                    reason: "no", time: 1)
                try await here.store.write { try $0.park([parked]) }
            }
            let answer = try await act(here, #"{"action":"retry"}"#)
            #expect(answer["untried"]?.int == 2 && answer["total"]?.int == 2, "\(answer)")
            #expect(answer["results"]?.array?.allSatisfy { $0["reason"]?.string?.isEmpty == false } == true)
        }
    }

    /// A port without a listener.
    private func gone() async throws -> Int {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        try await RunningBridge.run { continuation.yield($0.port) }
        return try #require(await ports.first { _ in true })
    }

    @Test(
        "Invalid requests are refused",
        arguments: ["{}", "[]", "{", #"{"action":"dance"}"#, #"{"action":"retry","id":7}"#, #"{"action":"retry","ids":[]}"#])
    func refusals(_ body: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("POST", "/shop/_parked", body).status == 400)
            for query in ["limit=-1", "limit=x", "skip=-1", "limit=10001"] {
                #expect(try await bridge.admin("GET", "/shop/_parked?\(query)").status == 400, "\(query)")
            }
        }
    }
}
