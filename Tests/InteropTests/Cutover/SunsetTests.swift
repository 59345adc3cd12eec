import BLIP
import BridgeConfiguration
import Cutover
import Documents
import Server
import TestSupport
import Testing

@Suite("The sunset of 1.x clients", .serialized, .timeLimit(.minutes(5)))
struct SunsetTests {
    /// A bridge at the last stage.
    private func withSunset(_ body: @Sendable (CutoverWorld) async throws -> Void) async throws {
        try await CutoverWorld.run {
            $0.firstStage = .sunset
        } _: { world in
            #expect(try await world.new.admin("PUT", "/shop/a", "{}").status == 201)
            try await body(world)
        }
    }

    @Test("Every request of a 1.x client gets a refusal with the reason, in a form that stops PouchDB and causes no new login")
    func refused() async throws {
        try await withSunset { world in
            for (method, path) in [
                ("GET", "/shop/"), ("PUT", "/shop/"), ("GET", "/shop/_local/abc"), ("PUT", "/shop/_local/abc"), ("POST", "/shop/_changes"),
                ("GET", "/shop/_changes?feed=longpoll"), ("GET", "/shop/_changes?feed=websocket"), ("POST", "/shop/_revs_diff"),
                ("POST", "/shop/_bulk_docs"), ("POST", "/shop/_bulk_get"), ("GET", "/shop/_all_docs"), ("PUT", "/shop/b"),
                ("DELETE", "/shop/a"), ("GET", "/shop.sales.orders/_changes"), ("GET", "/shop/_design/d"),
            ] {
                let answer = try await world.new.ask(method, path, method == "GET" ? "" : "{}")
                #expect(answer.status == 403, "\(method) \(path): \(answer.text)")
                #expect(try answer.json["error"]?.string == "forbidden")
                #expect(try answer.json["reason"]?.string?.contains("install the current version") == true)
                #expect(answer["WWW-Authenticate"] == nil)
            }
            // A running pull would skip a revision at 403.
            for path in ["/shop/a?rev=1-x", "/shop/a", "/shop/a/file"] {
                let answer = try await world.new.ask("GET", path)
                #expect(try answer.status == 400 && answer.json["error"]?.string == "forbidden", "\(path)")
            }
            let bad = try await world.new.ask("GET", "/shop/_changes", headers: basic("nobody", "wrong"))
            #expect(bad.status == 403)
        }
    }

    @Test("2.x+ clients, logins and administrators are served")
    func served() async throws {
        try await withSunset { world in
            let client = try await RawBLIP(world.new)
            let reply = try await client.ask("getCheckpoint", ["client": "c"])
            #expect(reply.errorCode == 404, "\(reply)")
            client.socket.socket.cut()
            #expect(try await world.new.ask("GET", "/shop/_session").status == 200)
            #expect(try await world.new.ask("GET", "/_ping").status == 200)
            #expect(try await world.new.admin("GET", "/shop/a").status == 200)
            #expect(try await world.new.admin("GET", "/shop/_changes").status == 200)
        }
    }

    @Test("An open feed ends at the sunset, and its client is refused until the step is reversed")
    func openFeed() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .complete
        } _: { world in
            let socket = try world.new.connect()
            defer { socket.cut() }
            try await socket.send("GET /shop/_changes?feed=longpoll&heartbeat=100000 HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually {
                try await !world.new.admin("GET", "/metrics").text.contains(#"dualgauge_open{database="shop",kind="longpoll"} 0"#)
            }
            try await world.force(.advance)
            #expect(try await world.stage == "sunset")
            #expect(try await socket.answer().status == 200)
            #expect(try await world.new.ask("GET", "/shop/_changes").status == 403)
            try await world.step(.reverse, to: .complete)
            #expect(try await world.new.ask("GET", "/shop/_changes").status == 200)
        }
    }

    @Test("A 1.x client that was seen closes the gate")
    func oldClients() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .complete
        } _: { world in
            #expect(try await world.new.ask("PUT", "/shop/_local/phone", #"{"lastSequence":"1"}"#).status == 201)
            let refused = try await world.ask(#"{"action":"advance"}"#)
            #expect(refused.status == 412)
            let gate = try refused.json["gates"]?.array?.first
            #expect(gate?["name"]?.string == "oldClients" && gate?["measured"]?.int == 1, "\(refused.text)")
            try await world.force(.advance)
            #expect(try await world.stage == "sunset")
        }
    }
}
