import BridgeConfiguration
import Coordination
import Cutover
import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import Server
import TestSupport
import Testing

@Suite("The comparison of both servers on request", .serialized, .timeLimit(.minutes(3)))
struct ComparisonTests {
    private static let path = "/shop/_cutover/comparison"

    /// Waits until no comparison runs.
    private func ended(_ bridge: RunningBridge) async throws -> JSONValue {
        try await eventually { try await bridge.admin("GET", Self.path).json["running"] == .null }
        return try await bridge.admin("GET", Self.path).json
    }

    @Test("All documents that differ are listed, by page and kind; the next comparison replaces the list")
    func list() async throws {
        try await CutoverWorld.run { world in
            try await CutoverWorld.write("same", on: world.old)
            try await world.converged(1)
            #expect(try await world.new.admin("GET", Self.path).json["parity"] == .null)
            #expect(try await world.new.admin("PUT", "/shop/_replicationStatus/legacy?action=stop").status == 200)
            let ids = (0..<7).map { "x\($0)" }
            for id in ids { try await CutoverWorld.write(id, on: world.old) }

            #expect(try await world.new.admin("POST", Self.path, #"{"bodies":"all"}"#).status == 200)
            let found = try await ended(world.new)
            #expect(found["parity"]?["differing"]?.int == 7 && found["parity"]?["kinds"]?["missing"]?.int == 7, "\(found)")
            #expect(found["listed"]?.int == 7 && found["differences"]?.array?.compactMap { $0["id"]?.string }.sorted() == ids)
            #expect(found["differences"]?.array?.first?["collection"]?.string == "_default._default")
            let page = try await world.new.admin("GET", Self.path + "?skip=5&limit=5&kind=missing").json
            #expect(page["differences"]?.array?.count == 2 && page["listed"]?.int == 7)
            #expect(try await world.new.admin("GET", Self.path + "?kind=body").json["listed"]?.int == 0)

            let program = try await Program.run("cutover", "compare", "shop", "--last", "--admin", world.new.adminURL)
            #expect(program.code == 1 && program.output.contains("7 differ (missing 7)"), "\(program)")
            #expect(ids.allSatisfy { program.output.contains($0) })

            #expect(try await world.new.admin("PUT", "/shop/_replicationStatus/legacy?action=start").status == 200)
            try await world.converged(8)
            let equal = try await Program.run("cutover", "compare", "shop", "--bodies", "all", "--admin", world.new.adminURL)
            #expect(equal.code == 0 && equal.output.contains("8 documents compared") && equal.output.contains("no difference"), "\(equal)")
            #expect(try await ended(world.new)["listed"]?.int == 0)
        }
    }

    @Test("A comparison that hangs can be stopped, refuses a second one, and does not hold up a step")
    func stopped() async throws {
        let never = FlowGate()
        never.close()
        defer { never.open() }
        try await FakeServer.run { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody { _ in try await never.pass() })
        } _: { _, url in
            let silent = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            try await RunningBridge.runOld { old in
                let proxy = try TestProxy(to: old.port)
                defer { proxy.end() }
                proxy.open()
                try await CutoverWorld.withBridge(behind: proxy) {
                    $0.firstStage = .dual
                } _: { bridge in
                    try await CutoverWorld.write("a", on: old)
                    try await bridge.converge(with: old, 1)
                    #expect(try await bridge.admin("POST", Self.path).status == 200)
                    #expect(try await ended(bridge)["parity"]?["compared"]?.int == 1)
                    proxy.redirect(to: silent)
                    proxy.close()
                    proxy.open()

                    let begun = try await bridge.admin("POST", Self.path, #"{"bodies":10}"#).json
                    #expect(begun["running"]?["activity"]?.string != nil, "\(begun)")
                    #expect(try await bridge.admin("POST", Self.path).status == 409)
                    #expect(try await bridge.admin("DELETE", Self.path).json["running"] == .null)
                    let program = try await Program.run("cutover", "compare", "shop", "--last", "--admin", bridge.adminURL)
                    #expect(program.code == 0 && program.output.contains("1 documents compared"), "\(program)")

                    #expect(try await bridge.admin("POST", Self.path).status == 200)
                    let step = try await bridge.admin(
                        "POST", "/shop/_cutover", #"{"action":"reverse","force":true,"reason":"the old server hangs"}"#)
                    #expect(step.status == 200, "\(step.text)")
                    #expect(try await bridge.admin("GET", Self.path).json["running"] == .null)
                }
            }
        }
    }

    @Test("Requests that are no comparison are refused; a detached old server is not compared")
    func refusals() async throws {
        try await CutoverWorld.run {
            $0.limits.requiresParity = false
        } _: { world in
            for body in [#"{"bodies":-1}"#, #"{"bodies":"some"}"#, #"{"all":true}"#] {
                #expect(try await world.new.admin("POST", Self.path, body).status == 400, "\(body)")
            }
            for query in ["?kind=x", "?limit=0", "?limit=1001", "?skip=-1", "?skip=x"] {
                #expect(try await world.new.admin("GET", Self.path + query).status == 400, "\(query)")
            }
            for _ in 0..<3 { try await world.force(.advance) }
            #expect(try await world.stage == "complete")
            let refused = try await world.new.admin("POST", Self.path)
            #expect(refused.status == 409 && refused.text.contains("detached"), "\(refused.text)")
        }
    }
}
