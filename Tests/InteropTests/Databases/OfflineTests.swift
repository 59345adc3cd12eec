import Documents
import Gateway
import TestSupport
import Testing

@Suite("Databases that are offline", .serialized)
struct OfflineTests {
    @Test("While a database is offline all requests but the state's get 503; online again, it is unchanged")
    func states() async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.ask("PUT", "/shop/d", "{}").status == 201)
            for _ in 0..<2 { #expect(try await bridge.admin("POST", "/shop/_offline").status == 200) }
            for path in ["/shop/d", "/shop/_session", "/shop/_changes", "/shop.sales.orders/d", "/shop/_blipsync"] {
                let answer = try await bridge.ask("GET", path)
                #expect(answer.status == 503)
                #expect(answer.text == #"{"error":"Service Unavailable","reason":"DB is currently under maintenance"}"#)
            }
            // Couchbase Lite for Java reads an error's body as a feed without rows: it gets an aborted feed.
            let broken = try bridge.connect()
            try await broken.send("GET /shop/_changes HTTP/1.1\r\nHost: a\r\nUser-Agent: CouchbaseLite/1.3 (1.4.4/abc)\r\n\r\n")
            #expect(try await broken.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let rest = String(decoding: try await broken.readToEnd(), as: UTF8.self)
            #expect(!rest.contains("]") && !rest.hasSuffix("0\r\n\r\n"))
            let head = try bridge.connect()
            try await head.send("HEAD /shop/_changes HTTP/1.1\r\nHost: a\r\nUser-Agent: CouchbaseLite/1.3 (1.4.4/abc)\r\n\r\n")
            #expect(try await head.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 503 "))
            #expect(try await bridge.admin("GET", "/shop/d").status == 503)
            for state in [try await bridge.ask("GET", "/shop/"), try await bridge.admin("GET", "/shop/")] {
                #expect(state.status == 200)
                #expect(try state.json["state"]?.string == "Offline")
            }
            #expect(try await bridge.admin("GET", "/shop/_config").status == 200)
            #expect(try await bridge.admin("POST", "/shop/_online", #"{"delay":0}"#).status == 200)
            #expect(try await bridge.ask("GET", "/shop/d").status == 200)
            #expect(try await bridge.ask("GET", "/shop/").json["state"]?.string == "Online")
            #expect(try await bridge.admin("POST", "/none/_offline").status == 404)
        }
    }

    @Test("A delayed _online has no effect after a later request")
    func delayed() async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/later/", #"{"offline":true}"#).status == 201)
            for path in ["/shop/_offline", "/shop/_online", "/shop/_offline", "/later/_online"] {
                #expect(try await bridge.admin("POST", path, path.hasSuffix("_online") ? #"{"delay":1}"# : "").status == 200)
            }
            try await eventually { try await bridge.admin("GET", "/later/").json["state"]?.string != "Offline" }
            #expect(try await bridge.admin("GET", "/shop/").json["state"]?.string == "Offline")
        }
    }

    @Test("A database that starts offline stays offline after a new configuration")
    func startsOffline() async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/new/", #"{"offline":true,"guest":{}}"#).status == 201)
            #expect(try await bridge.ask("GET", "/new/d").status == 503)
            #expect(try await bridge.admin("PUT", "/new/_config", #"{"guest":{}}"#).status == 201)
            #expect(try await bridge.ask("GET", "/new/d").status == 503)
            #expect(try await bridge.admin("POST", "/new/_online").status == 200)
            #expect(try await bridge.ask("GET", "/new/").status == 200)
        }
    }

    @Test(
        "Going offline completes the replies of feeds, and drops 2.x+ connections without a close frame",
        arguments: ["_offline", "DELETE"])
    func feeds(how: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/new/", #"{"guest":{"admin_channels":["*"]}}"#).status == 201)
            let longpoll = try bridge.connect()
            try await longpoll.send("GET /new/_changes?feed=longpoll&timeout=60000 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await longpoll.read(until: "\r\n\r\n")
            var body = try #require(try await longpoll.chunk())
            let socket = try bridge.connect()
            try await socket.send(RawWebSocket.request("/new/_blipsync"))
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
            if how == "DELETE" {
                #expect(try await bridge.admin("DELETE", "/new/").status == 200)
            } else {
                #expect(try await bridge.admin("POST", "/new/_offline").status == 200)
            }
            while let chunk = try await longpoll.chunk() { body += chunk }
            #expect(try JSONValue(body)["last_seq"] != nil)
            #expect(try await RawWebSocket(socket).closeCode() == nil)
        }
    }

    @Test("A changed configuration drops connections, and their clients reconnect")
    func reconfigured() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let socket = try await RawWebSocket.open(bridge)
            #expect(try await bridge.admin("POST", "/shop/_config", #"{"revs_limit":50}"#).status == 201)
            #expect(try await socket.closeCode() == nil)
            let again = try await RawWebSocket.open(bridge)
            again.socket.cut()
            try await bridge.expectSound(after: "a new configuration")
        }
    }

    @Test("_flush empties a database only where the configuration allows it")
    func flush() async throws {
        try await RunningBridge.run(allowsFlush: true) { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/new/", #"{"guest":{"admin_channels":["*"]}}"#).status == 201)
            for database in ["new", "shop"] { #expect(try await bridge.ask("PUT", "/\(database)/d", "{}").status == 201) }
            #expect(try await bridge.admin("POST", "/new/_flush").status == 200)
            #expect(try await bridge.ask("GET", "/new/d").status == 404)
            #expect(try await bridge.ask("PUT", "/new/d", "{}").status == 201)
            let refused = try await bridge.admin("POST", "/shop/_flush")
            #expect(refused.status == 503)
            #expect(refused.text.contains("allowFlush"))
            #expect(try await bridge.ask("GET", "/shop/d").status == 200)
        }
    }
}
