import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPListener
import Server
import Testing

/// Expected replies follow the recorded replies of Sync Gateway 2.8.4 and 3.2.7, and its source where nothing was recorded.
@Suite("Logins and sessions", .serialized)
struct SessionEndpointTests {
    /// A bridge without a guest, and with the user alice.
    private func run(_ body: @escaping @Sendable (RunningBridge) async throws -> Void) async throws {
        try await RunningBridge.run({ $0.guest = GuestConfiguration() }) { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/shop/_user/alice", #"{"password":"secret","admin_channels":["*"]}"#).status == 201)
            try await body(bridge)
        }
    }

    private func cookie(_ answer: RawAnswer) -> String {
        "Cookie: \((answer["Set-Cookie"] ?? "").prefix { $0 != ";" })\r\n"
    }

    private static let nobody = #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{},"name":null}}"#

    @Test("Valid Basic credentials are accepted, wrong ones refused, also where the guest is enabled")
    func basicLogin() async throws {
        try await run { (bridge) async throws in
            #expect(try await bridge.ask("GET", "/shop/").status == 401)
            #expect(try await bridge.ask("GET", "/shop/", headers: basic("alice", "secret")).status == 200)
            for headers in [basic("alice", "wrong"), basic("bob", "secret"), basic("", "secret"), "Authorization: Basic !!\r\n"] {
                let refused = try await bridge.ask("GET", "/shop/", headers: headers)
                #expect(refused.status == 401)
                #expect(refused.text == #"{"error":"Unauthorized","reason":"Invalid login"}"#)
                #expect(refused["WWW-Authenticate"] == #"Basic realm="Couchbase Sync Gateway""#)
            }
        }
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.ask("GET", "/shop/").status == 200)
            #expect(try await bridge.ask("GET", "/shop/", headers: basic("bob", "x")).status == 401)
            #expect(try await bridge.ask("GET", "/shop/", headers: "Cookie: SyncGatewaySession=no\r\n").status == 401)
        }
    }

    @Test(
        "Behind a trusted proxy the cookie is Secure if the client used TLS; headers of other peers are ignored", arguments: [true, false])
    func proxied(isTrusted: Bool) async throws {
        let range = try #require(AddressRange("127.0.0.0/8"))
        try await RunningBridge.run(listening: { if isTrusted { $0.trustedProxies = TrustedProxies([range]) } }) { (bridge) async throws in
            _ = try await bridge.admin("PUT", "/shop/_user/alice", #"{"password":"secret","admin_channels":["*"]}"#)
            let login = #"{"name":"alice","password":"secret"}"#
            for (scheme, isSecure) in [("https", true), ("http", false)] {
                let headers = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: \(scheme)\r\n"
                let cookie = try #require(try await bridge.ask("POST", "/shop/_session", login, headers: headers)["Set-Cookie"])
                #expect(cookie.contains("; Secure") == (isTrusted && isSecure), "\(cookie)")
            }
        }
    }

    @Test("A cookie is valid from the login to the logout")
    func cookieLogin() async throws {
        try await run { (bridge) async throws in
            #expect(try await bridge.ask("GET", "/shop/_session").text == Self.nobody)
            let login = try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"secret"}"#)
            #expect(login.status == 200)
            #expect(try login.json["userCtx"]?["name"]?.string == "alice")
            #expect(try login.json["userCtx"]?["channels"]?.members?.map(\.key) == ["!", "*"])
            #expect(try login.json["userCtx"]?["channels"]?["!"]?.int == 1)
            let set = try #require(login["Set-Cookie"])
            #expect(set.wholeMatch(of: /SyncGatewaySession=[0-9a-f]{40}; Path=\/shop; Expires=[A-Z][^;]*GMT; HttpOnly/) != nil)
            let cookie = cookie(login)
            let known = try await bridge.ask("GET", "/shop/_session", headers: cookie)
            #expect(known.text == login.text)
            #expect(known["Set-Cookie"] == nil)
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 200)
            let other = try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"secret"}"#, headers: cookie)
            #expect(other["Set-Cookie"] != login["Set-Cookie"])
            let logout = try await bridge.ask("DELETE", "/shop/_session", headers: cookie)
            #expect(logout.status == 200)
            #expect(logout.body.isEmpty)
            #expect(logout["Set-Cookie"]?.hasPrefix("SyncGatewaySession=; Path=/shop; Expires=Thu, 01 Jan 1970") == true)
            let refused = try await bridge.ask("GET", "/shop/", headers: cookie)
            #expect(refused.status == 401)
            #expect(refused.text == #"{"error":"Unauthorized","reason":"Session Invalid"}"#)
            #expect(try await bridge.ask("GET", "/shop/_session", headers: cookie).text == Self.nobody)
        }
    }

    @Test(
        "Invalid logins are refused",
        arguments: [
            (#"{"name":"alice","password":"no"}"#, "", 401), (#"{"name":"bob","password":"secret"}"#, "", 401),
            (#"{"name":"GUEST","password":""}"#, "", 401),
            ("{}", "", 400), ("[", "", 400), (#"{"name":"alice","password":"secret","name":"alice"}"#, "", 400),
            (#"{"name":"alice","password":"secret"}"#, "Origin: https://evil.example\r\n", 400),
        ])
    func refusedLogin(body: String, headers: String, status: Int) async throws {
        try await run { (bridge) async throws in
            let answer = try await bridge.ask("POST", "/shop/_session", body, headers: headers)
            #expect(answer.status == status)
            #expect(answer["Set-Cookie"] == nil)
        }
    }

    @Test("A request with credentials and without a body gets a session")
    func basicToCookie() async throws {
        try await run { (bridge) async throws in
            let login = try await bridge.ask("POST", "/shop/_session", headers: basic("alice", "secret"))
            #expect(login.status == 200)
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie(login)).status == 200)
            #expect(try await bridge.ask("DELETE", "/shop/_session", headers: basic("alice", "secret")).text.contains("no session"))
        }
    }

    @Test("The server of an app creates and ends sessions on the admin port")
    func adminSessions() async throws {
        try await run { (bridge) async throws in
            let made = try await bridge.admin("POST", "/shop/_session", #"{"name":"alice","ttl":600}"#)
            #expect(made.status == 200)
            #expect(
                made.text.wholeMatch(
                    of:
                        /\{"session_id":"[0-9a-f]{40}","expires":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","cookie_name":"SyncGatewaySession"\}/
                )
                    != nil)
            let id = try #require(try made.json["session_id"]?.string)
            let cookie = "Cookie: SyncGatewaySession=\(id)\r\n"
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 200)
            #expect(try await bridge.admin("GET", "/shop/_session/\(id)").json["userCtx"]?["name"]?.string == "alice")
            #expect(try await bridge.admin("DELETE", "/shop/_user/bob/_session/\(id)").status == 404)
            #expect(try await bridge.admin("DELETE", "/shop/_user/alice/_session/\(id)").status == 200)
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 401)
            for (method, path) in [("GET", "_session/\(id)"), ("DELETE", "_session/\(id)")] {
                #expect(try await bridge.admin(method, "/shop/\(path)").status == 404)
            }
            #expect(try await bridge.admin("DELETE", "/shop/_user/bob/_session").status == 200)
        }
    }

    @Test(
        "Invalid sessions are refused",
        arguments: [
            (#"{"name":"bob"}"#, 404), (#"{"name":""}"#, 400), ("{}", 400), (#"{"name":"GUEST"}"#, 400),
            (#"{"name":"alice","ttl":0}"#, 400),
            (#"{"name":"alice","ttl":-5}"#, 400), (#"{"name":"alice","ttl":"x"}"#, 400), (#"{"name":"alice","ttl":99999999999999}"#, 400),
        ])
    func refusedSession(body: String, status: Int) async throws {
        try await run { (bridge) async throws in #expect(try await bridge.admin("POST", "/shop/_session", body).status == status) }
    }

    @Test(
        "A new password, a disabled or deleted account, and an administrator's request end sessions at once",
        arguments: [
            ("PUT", "_user/alice", #"{"password":"new"}"#), ("PUT", "_user/alice", #"{"disabled":true}"#), ("DELETE", "_user/alice", ""),
            ("DELETE", "_user/alice/_session", ""),
        ])
    func ended(method: String, path: String, body: String) async throws {
        try await run { (bridge) async throws in
            let cookie = cookie(try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"secret"}"#))
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 200)
            #expect(try await bridge.admin(method, "/shop/\(path)", body).status == 200)
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 401)
        }
    }

    @Test("Setting the same password again ends no session")
    func samePassword() async throws {
        try await run { (bridge) async throws in
            let cookie = cookie(try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"secret"}"#))
            let same = #"{"password":"secret","admin_channels":["new"]}"#
            #expect(try await bridge.admin("PUT", "/shop/_user/alice", same).status == 200)
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 200)
        }
    }

    @Test("A hash of a Sync Gateway is accepted in its own property, and is a plain password elsewhere")
    func hashes() async throws {
        try await run { (bridge) async throws in
            let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
            #expect(try await bridge.admin("PUT", "/shop/_user/bob", #"{"password":"\#(hash)"}"#).status == 201)
            #expect(try await bridge.ask("GET", "/shop/", headers: basic("bob", "U*U")).status == 401)
            #expect(try await bridge.ask("GET", "/shop/", headers: basic("bob", hash)).status == 200)
            let encoded = Base64.encode(Array(hash.utf8))
            #expect(try await bridge.admin("PUT", "/shop/_user/old", #"{"passwordhash_bcrypt":"\#(encoded)"}"#).status == 201)
            for _ in 0..<2 { #expect(try await bridge.ask("GET", "/shop/", headers: basic("old", "U*U")).status == 200) }
            #expect(try await bridge.ask("GET", "/shop/", headers: basic("old", "U*V")).status == 401)
            #expect(try await bridge.admin("PUT", "/shop/_user/bad", #"{"passwordhash_bcrypt":"AAAA"}"#).status == 400)
        }
    }

    @Test("Repeated wrong passwords get 429 with Retry-After")
    func guessing() async throws {
        try await run { (bridge) async throws in
            var last: RawAnswer?
            // The bucket refills over time: more than 30 attempts may be needed.
            for _ in 0..<400 where last?.status != 429 { last = try await bridge.ask("GET", "/shop/", headers: basic("alice", "guess")) }
            #expect(last?.status == 429)
            #expect(Int(last?["Retry-After"] ?? "") ?? 0 > 0)
            // Couchbase Lite stops permanently at 429.
            let iOS = "User-Agent: CouchbaseLite/1.3 (iOS 1.4.4/abc)\r\n" + basic("alice", "guess")
            for path in ["/shop/_local/x", "/shop/_changes", "/shop/_bulk_docs"] {
                let answer = try await bridge.ask("GET", path, headers: iOS)
                #expect(answer.status == 503 && Int(answer["Retry-After"] ?? "") ?? 0 > 0, "\(path)")
            }
        }
    }

    @Test("The WebSocket handshake needs the same credentials")
    func handshake() async throws {
        try await run { (bridge) async throws in
            let upgrade =
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n"
            let cookie = cookie(try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"secret"}"#))
            for (headers, status) in [
                ("", 401), (basic("alice", "no"), 401), ("Cookie: SyncGatewaySession=no\r\n", 401), (basic("alice", "secret"), 101),
                (cookie, 101),
            ] {
                let socket = try bridge.connect()
                defer { socket.cut() }
                try await socket.send("GET /shop/_blipsync HTTP/1.1\r\nHost: a\r\n\(upgrade)\(headers)\r\n")
                #expect(try await socket.read(until: "\r\n\r\n").contains("HTTP/1.1 \(status) "))
            }
        }
    }
}
