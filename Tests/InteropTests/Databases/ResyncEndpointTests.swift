import Documents
import Gateway
import TestSupport
import Testing

@Suite("_resync", .serialized)
struct ResyncEndpointTests {
    private func withChangedFunction(_ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        try await RunningBridge.run { (bridge) async throws in
            let config = #"{"guest":{},"users":{"anna":{"password":"pw1","admin_channels":["new"]}},"sync":"function(d){channel('old')}"}"#
            #expect(try await bridge.admin("PUT", "/db/", config).status == 201)
            for id in ["a", "b"] { #expect(try await bridge.admin("PUT", "/db/\(id)", "{}").status == 201) }
            #expect(try await bridge.admin("PUT", "/db/_config/sync", "function(doc){channel('new')}").status == 200)
            #expect(try await bridge.ask("GET", "/db/a", headers: basic("anna", "pw1")).status == 404)
            try await body(bridge)
            #expect(try await bridge.ask("GET", "/db/a", headers: basic("anna", "pw1")).status == 200)
            let changes = try await bridge.ask("GET", "/db/_changes", headers: basic("anna", "pw1")).json
            #expect(changes["results"]?.array?.compactMap { $0["id"]?.string }.filter { !$0.hasPrefix("_") } == ["a", "b"])
        }
    }

    @Test("As in 2.x, one request to an offline database returns the number of changes")
    func form2() async throws {
        try await withChangedFunction { bridge in
            let online = try await bridge.admin("POST", "/db/_resync")
            #expect(online.status == 503)
            #expect(online.text.contains("Database must be _offline before calling _resync, current state: Online"))
            #expect(try await bridge.admin("POST", "/db/_offline").status == 200)
            let answer = try await bridge.admin("POST", "/db/_resync")
            #expect(answer.status == 200)
            #expect(try answer.json["changes"]?.int == 2)
            #expect(try await bridge.admin("POST", "/db/_online").status == 200)
        }
    }

    @Test("As in 3.x, a resync is started by an action or with scopes, and its state is read by GET")
    func form3() async throws {
        try await withChangedFunction { bridge in
            let before = try await bridge.admin("GET", "/db/_resync").json
            #expect(before["status"]?.string == "completed" && before["start_time"]?.string == "0001-01-01T00:00:00Z")
            #expect(try await bridge.admin("POST", "/db/_offline").status == 200)
            #expect(try await bridge.admin("POST", "/db/_resync?action=pause").status == 400)
            #expect(try await bridge.admin("POST", "/db/_resync?action=stop").status == 400)
            #expect(try await bridge.admin("POST", "/db/_resync", #"{"scopes":{"_default":["none"]}}"#).status == 404)
            let started = try await bridge.admin("POST", "/db/_resync?action=start", #"{"scopes":{"_default":["_default"]}}"#).json
            #expect(started["resync_id"]?.string?.isEmpty == false)
            #expect(started["collections_processing"]?["_default"]?.array == [.string("_default")])
            var status = started
            while status["status"]?.string == "running" { status = try await bridge.admin("GET", "/db/_resync").json }
            #expect(status["status"]?.string == "completed" && status["last_error"]?.string == "")
            #expect(status["docs_processed"]?.int == 2 && status["docs_changed"]?.int == 2)
            try await eventually { try await bridge.admin("GET", "/db/").json["state"]?.string != "Resyncing" }
            #expect(try await bridge.admin("POST", "/db/_online").status == 200)
        }
    }
}
