import BridgeConfiguration
import Documents
import Gateway
import Server
import Testing

@Suite("Pages of other origins, and sessions for one WebSocket", .serialized)
struct CrossOriginTests {
    private static let page = "Origin: https://app.example.com\r\n"
    private static let stranger = "Origin: https://evil.example.com\r\n"

    private static func run(_ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        try await RunningBridge.run(
            { $0.guest.isEnabled = false },
            serving: { served in
                served.access.cors.origins = ["https://app.example.com"]
                served.access.cors.loginOrigins = ["https://app.example.com"]
                served.access.cors.headers = ["Authorization", "Content-Type"]
                served.access.cors.maximumAge = 600
            }
        ) { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/shop/_user/zoe", #"{"password":"letmein","admin_channels":["*"]}"#).status == 201)
            try await body(bridge)
        }
    }

    private static func header(_ name: String, of answer: RawAnswer) -> String? {
        answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name): ") }.map {
            String($0.dropFirst(name.utf8.count + 2))
        }
    }

    @Test("A preflight needs no login, and allows a foreign page nothing")
    func preflight() async throws {
        try await Self.run { bridge in
            let asks = "Access-Control-Request-Method: PUT\r\n"
            let answer = try await bridge.ask("OPTIONS", "/shop/doc", headers: Self.page + asks)
            #expect(answer.status == 204)
            #expect(Self.header("access-control-allow-origin", of: answer) == "https://app.example.com")
            #expect(Self.header("access-control-allow-credentials", of: answer) == "true")
            #expect(Self.header("access-control-allow-headers", of: answer) == "Authorization, Content-Type")
            #expect(Self.header("access-control-allow-methods", of: answer) == "GET, HEAD, POST, PUT, DELETE")
            #expect(Self.header("access-control-max-age", of: answer) == "600")
            let refused = try await bridge.ask("OPTIONS", "/shop/doc", headers: Self.stranger + asks)
            #expect(refused.status == 204 && refused.head.contains("Allow: DELETE, GET, HEAD, PUT"))
            #expect(!refused.head.lowercased().contains("access-control"))
        }
    }

    @Test("Every reply names the origin that may read it, refusals included; replies of the admin port name none")
    func answers() async throws {
        try await Self.run { bridge in
            for (login, status) in [("", 401), (basic("zoe", "letmein"), 404)] {
                let answer = try await bridge.ask("GET", "/shop/doc", headers: Self.page + login)
                #expect(answer.status == status)
                #expect(Self.header("access-control-allow-origin", of: answer) == "https://app.example.com")
                #expect(answer.head.lowercased().contains("vary: origin"))
                let stranger = try await bridge.ask("GET", "/shop/doc", headers: Self.stranger + login)
                #expect(stranger.status == status)
                #expect(!stranger.head.lowercased().contains("access-control"))
            }
            #expect(try await !bridge.admin("GET", "/shop/doc", headers: Self.page).head.lowercased().contains("access-control"))
        }
    }

    @Test("A page of a configured origin gets 401 without a challenge for a password; other clients get the challenge")
    func challenges() async throws {
        try await Self.run { bridge in
            for (origin, isChallenged) in [(Self.page, false), (Self.stranger, true), ("", true)] {
                let answer = try await bridge.ask("GET", "/shop/doc", headers: origin)
                #expect(answer.status == 401)
                #expect((Self.header("www-authenticate", of: answer) != nil) == isChallenged, "\(origin)")
            }
        }
    }

    @Test("The root document can be read by pages of each database's origins")
    func welcome() async throws {
        try await Self.run { bridge in
            for method in ["GET", "OPTIONS"] {
                let asks = "Access-Control-Request-Method: GET\r\n"
                let answer = try await bridge.ask(method, "/", headers: Self.page + asks)
                #expect(Self.header("access-control-allow-origin", of: answer) == "https://app.example.com")
                #expect(try await !bridge.ask(method, "/", headers: Self.stranger + asks).head.lowercased().contains("access-control"))
            }
        }
    }

    @Test("A browser's session cookie has SameSite, an app's cookie has not")
    func cookies() async throws {
        try await Self.run { bridge in
            let body = #"{"name":"zoe","password":"letmein"}"#
            let page = try await bridge.ask("POST", "/shop/_session", body, headers: Self.page)
            #expect(Self.header("set-cookie", of: page)?.hasSuffix("; SameSite=Lax") == true)
            let app = try await bridge.ask("POST", "/shop/_session", body)
            #expect(Self.header("set-cookie", of: app)?.hasSuffix("; HttpOnly") == true)
        }
    }

    @Test("A page logs in if the configuration allows its origin; a foreign page cannot")
    func logins() async throws {
        try await Self.run { bridge in
            let body = #"{"name":"zoe","password":"letmein"}"#
            let answer = try await bridge.ask("POST", "/shop/_session", body, headers: Self.page)
            #expect(answer.status == 200)
            #expect(answer.head.contains("SyncGatewaySession="))
            let refused = try await bridge.ask("POST", "/shop/_session", body, headers: Self.stranger)
            #expect(refused.status == 400)
            #expect(refused.text.contains("No CORS"))
        }
    }

    @Test(
        "A foreign page opens no WebSocket; a page of a configured origin and a native client do",
        arguments: ["_blipsync", "_changes?feed=websocket"])
    func webSocket(_ endpoint: String) async throws {
        try await Self.run { bridge in
            for (origin, status) in [(Self.page, 101), ("", 101), ("Origin: http://a\r\n", 101), (Self.stranger, 403)] {
                let socket = try bridge.connect()
                defer { socket.cut() }
                try await socket.send(RawWebSocket.request("/shop/\(endpoint)", headers: origin + basic("zoe", "letmein")))
                #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "), "\(origin)")
            }
        }
    }

    @Test("A session for one WebSocket opens one WebSocket, is not valid as a cookie, and a cookie's session is not valid as such")
    func oneTime() async throws {
        try await Self.run { bridge in
            let answer = try await bridge.ask("POST", "/shop/_session", #"{"name":"zoe","password":"letmein","one_time":true}"#)
            #expect(answer.status == 200 && !answer.head.lowercased().contains("set-cookie"))
            let id = try #require(try answer.json["one_time_session_id"]?.string)
            #expect(try await bridge.ask("GET", "/shop/doc", headers: "Cookie: SyncGatewaySession=\(id)\r\n").status == 401)
            let cookie = try #require(try await bridge.admin("POST", "/shop/_session", #"{"name":"zoe"}"#).json["session_id"]?.string)
            for (session, status) in [(id, 101), (id, 401), (cookie, 401), ("", 401)] {
                let socket = try bridge.connect()
                defer { socket.cut() }
                try await socket.send(RawWebSocket.request(subprotocols: "BLIP_3+CBMobile_3, SyncGatewaySession_\(session)"))
                #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
            }
            // The one-time session of a request that is not a WebSocket is ignored.
            let other = try await bridge.ask("POST", "/shop/_session", #"{"name":"zoe","password":"letmein","one_time":true}"#)
            let fresh = try #require(try other.json["one_time_session_id"]?.string)
            let plain = try await bridge.ask("GET", "/shop/doc", headers: "Sec-WebSocket-Protocol: SyncGatewaySession_\(fresh)\r\n")
            #expect(plain.status == 401)
            #expect(try await bridge.ask("POST", "/shop/_session", #"{"name":"zoe","password":"letmein","one_time":1}"#).status == 400)
        }
    }
}
