import Authentication
import BridgeConfiguration
import Crypto
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Server
import Testing

/// Logins that another service verifies, over real sockets: the bridge, and the service.
@Suite("Token authenticators", .serialized)
struct TokenAuthenticatorTests {
    /// Graph, and an OpenID Connect provider.
    private static func verifier(_ key: P256.Signing.PrivateKey) -> @Sendable (FakeServer.Call, String) -> Response {
        let jwk = key.publicKey.rawRepresentation
        let (x, y) = (base64URL(jwk.prefix(32)), base64URL(jwk.suffix(32)))
        return { call, url in
            switch call.path {
            case "/app": FakeServer.json(#"{"id":"app-1"}"#)
            case "/me":
                call.headers[.authorization] == "Bearer good"
                    ? FakeServer.json(#"{"id":"100"}"#) : FakeServer.json(#"{"error":{"code":190}}"#, 400)
            case "/.well-known/openid-configuration": FakeServer.json(#"{"issuer":"\#(url)","jwks_uri":"\#(url)/keys"}"#)
            case "/keys": FakeServer.json(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"k","use":"sig","x":"\#(x)","y":"\#(y)"}]}"#)
            default: FakeServer.json("{}", 404)
            }
        }
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func token(_ issuer: String, _ key: P256.Signing.PrivateKey, lasting seconds: Int, channels: String) throws -> String {
        let end = Int(Date().timeIntervalSince1970) + seconds
        let claims =
            #"{"iss":"\#(issuer)","aud":"app","sub":"u1","exp":\#(end),"iat":\#(end - seconds),"channels":\#(channels)}"#
        let text = base64URL(#"{"alg":"ES256","kid":"k"}"#.utf8) + "." + base64URL(claims.utf8)
        return text + "." + base64URL(try key.signature(for: Data(text.utf8)).rawRepresentation)
    }

    private static func facebook(_ url: String) throws -> FacebookConfiguration {
        var configuration = FacebookConfiguration(apps: .only(["app-1"]), graph: try VerificationEndpoint(configured: url))
        configuration.registers = true
        return configuration
    }

    private static func upstream(_ url: String) throws -> UpstreamConfiguration {
        UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/old", plainHTTP: .anywhere))
    }

    private func run(
        _ authenticators: (inout AuthenticatorsConfiguration) throws -> Void, challenge: Bool = true,
        _ body: @Sendable (RunningBridge) async throws -> Void
    ) async throws {
        try await RunningBridge.run(
            { $0.guest = GuestConfiguration() },
            serving: {
                try authenticators(&$0.authenticators)
                $0.access.sendsChallenge = challenge
            }, body)
    }

    private func cookie(_ answer: RawAnswer) -> String {
        "Cookie: \((answer["Set-Cookie"] ?? "").prefix { $0 != ";" })\r\n"
    }

    /// 101 for an accepted handshake, or the status of the refusal.
    private func handshake(_ bridge: RunningBridge, _ headers: String) async throws -> Int {
        let socket = try bridge.connect()
        defer { socket.cut() }
        try await socket.send(RawWebSocket.request(headers: headers))
        return RawAnswer(head: try await socket.read(until: "\r\n\r\n"), body: []).status
    }

    @Test("A Facebook login creates the user and a session that both protocols accept")
    func facebook() async throws {
        try await FakeServer.run(Self.verifier(P256.Signing.PrivateKey())) { (graph, url) async throws in
            try await run({ $0.facebook = try Self.facebook(url) }) { (bridge) async throws in
                let login = try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"good","email":"x"}"#)
                #expect(login.status == 200)
                #expect(try login.json["userCtx"]?["name"]?.string == "100")
                #expect(try login.json["userCtx"]?["channels"]?.members?.map(\.key) == ["!"])
                #expect(login["Set-Cookie"]?.hasPrefix("SyncGatewaySession=") == true)
                #expect(try await bridge.ask("GET", "/shop/_session", headers: cookie(login)).text == login.text)
                #expect(try await bridge.ask("GET", "/shop/", headers: cookie(login)).status == 200)
                #expect(try await handshake(bridge, cookie(login)) == 101)
                let again = try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"good"}"#)
                #expect(again.status == 200 && again["Set-Cookie"] != login["Set-Cookie"])
                let refused = try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"bad"}"#)
                #expect(refused.status == 401 && refused["WWW-Authenticate"] == #"Basic realm="Couchbase Sync Gateway""#)
                #expect(try await bridge.ask("POST", "/shop/_persona", #"{"assertion":"a"}"#).status == 404)
                // The administrator's setting takes precedence over Facebook's.
                #expect(try await bridge.admin("PUT", "/shop/_user/100", #"{"disabled":true}"#).status == 200)
                #expect(try await bridge.ask("GET", "/shop/", headers: cookie(login)).status == 401)
                #expect(try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"good"}"#).status == 401)
                #expect(graph.calls.contains { $0.path == "/me" })
            }
        }
    }

    @Test("Simultaneous logins of the two replications of a pair are both accepted")
    func pair() async throws {
        try await FakeServer.run(Self.verifier(P256.Signing.PrivateKey())) { (_, url) async throws in
            try await run({ $0.facebook = try Self.facebook(url) }) { (bridge) async throws in
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<6 {
                        group.addTask { try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"good"}"#).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == [200, 200, 200, 200, 200, 200])
                #expect(try await bridge.admin("GET", "/shop/_user/").text == #"["100"]"#)
            }
        }
    }

    @Test("A bearer token is valid on every request and in the handshake; the session created with it ends with it")
    func bearer() async throws {
        let key = P256.Signing.PrivateKey()
        try await FakeServer.run(Self.verifier(key)) { (_, url) async throws in
            try await run({
                var oidc = OpenIDConfiguration(issuer: url, discovery: try OpenIDConfiguration.discovery(of: url), clientIDs: ["app"])
                oidc.registers = true
                oidc.channelsClaim = "channels"
                oidc.naming = .bareSubject
                $0.oidc = [oidc]
            }) { (bridge) async throws in
                let bearer = "Authorization: Bearer \(try Self.token(url, key, lasting: 600, channels: #"["a","b"]"#))\r\n"
                #expect(try await bridge.ask("GET", "/shop/", headers: bearer).status == 200)
                #expect(try await handshake(bridge, bearer) == 101)
                let session = try await bridge.ask("POST", "/shop/_session", headers: bearer)
                #expect(try session.json["userCtx"]?["channels"]?.members?.map(\.key) == ["!", "a", "b"])
                let expires = try #require(
                    session["Set-Cookie"]?.firstMatch(of: /Expires=([^;]*)/).flatMap { HTTPDate.parse(String($0.1)) })
                #expect(expires <= Int64(Date().timeIntervalSince1970) + 600)
                // The claims of the next token replace those of this token.
                let less = "Authorization: Bearer \(try Self.token(url, key, lasting: 600, channels: #""b""#))\r\n"
                let context = try await bridge.ask("GET", "/shop/_session", headers: less).json["userCtx"]
                #expect(context?["channels"]?.members?.map(\.key) == ["!", "b"] && context?["name"]?.string == "u1")
                let late = "Authorization: Bearer \(try Self.token(url, key, lasting: -600, channels: "[]"))\r\n"
                let other = "Authorization: Bearer \(try Self.token(url, P256.Signing.PrivateKey(), lasting: 600, channels: "[]"))\r\n"
                for wrong in [late, other, "Authorization: Bearer x\r\n"] {
                    #expect([400, 401].contains(try await bridge.ask("GET", "/shop/", headers: wrong).status))
                    #expect([400, 401].contains(try await handshake(bridge, wrong)))
                }
            }
        }
    }

    /// The old server: it has the user waldo, with a password and a session.
    private static func oldServer(_ call: FakeServer.Call, _ url: String) -> Response {
        let password = BasicCredentials(user: "waldo", password: "where").authorization
        let isKnown = call.headers[.authorization] == password || call.headers[.cookie] == "SyncGatewaySession=old-1"
        guard call.path == "/old/_session", isKnown else { return FakeServer.json(#"{"error":"Unauthorized"}"#, 401) }
        return FakeServer.json(#"{"ok":true,"userCtx":{"channels":{"!":1,"orders":7},"name":"waldo"}}"#)
    }

    @Test("A first password is checked upstream; from then on the user, the channels and the password's hash are stored here")
    func upstreamPassword() async throws {
        try await FakeServer.run(Self.oldServer) { (old, url) async throws in
            try await run({ $0.upstream = try Self.upstream(url) }) { (bridge) async throws in
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "wrong")).status == 401)
                #expect(try await bridge.admin("GET", "/shop/_user/waldo").status == 404)
                let calls = old.calls.count
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status == 200)
                #expect(old.calls.count == calls + 1)
                let user = try await bridge.admin("GET", "/shop/_user/waldo").json
                #expect(user["all_channels"]?.array?.compactMap(\.string) == ["!", "orders"])
                for _ in 0..<2 { #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status == 200) }
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "wrong")).status == 401)
                #expect(try await bridge.ask("POST", "/shop/_session", #"{"name":"waldo","password":"where"}"#).status == 200)
                #expect(try await handshake(bridge, basic("waldo", "where")) == 101)
                #expect(old.calls.count == calls + 1)
            }
        }
    }

    @Test("Simultaneous first logins of a pair create the upstream's user once")
    func upstreamPair() async throws {
        try await FakeServer.run(Self.oldServer) { (_, url) async throws in
            try await run({ $0.upstream = try Self.upstream(url) }) { (bridge) async throws in
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<3 {
                        group.addTask { try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == [200, 200, 200])
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status == 200)
            }
        }
    }

    @Test("A first login by a body or a handshake is checked upstream, too")
    func upstreamElsewhere() async throws {
        try await FakeServer.run(Self.oldServer) { (_, url) async throws in
            try await run({ $0.upstream = try Self.upstream(url) }) { (bridge) async throws in
                #expect(try await bridge.ask("POST", "/shop/_session", #"{"name":"waldo","password":"where"}"#).status == 200)
            }
            try await run({ $0.upstream = try Self.upstream(url) }) { (bridge) async throws in
                #expect(try await handshake(bridge, basic("waldo", "where")) == 101)
            }
        }
    }

    @Test("A session of the old server is accepted here; the password is stored at its first use")
    func upstreamCookie() async throws {
        try await FakeServer.run(Self.oldServer) { (old, url) async throws in
            try await run({ $0.upstream = try Self.upstream(url) }) { (bridge) async throws in
                let cookie = "Cookie: SyncGatewaySession=old-1\r\n"
                let dead = "Cookie: SyncGatewaySession=other\r\n"
                #expect(try await bridge.ask("GET", "/shop/", headers: dead).status == 401)
                #expect(try await bridge.ask("GET", "/shop/_session", headers: dead).json["userCtx"]?["name"] == .null)
                let first = try await bridge.ask("GET", "/shop/", headers: cookie)
                #expect(first.status == 200 && first["Set-Cookie"]?.hasPrefix("SyncGatewaySession=old-1; Path=/shop;") == true)
                let calls = old.calls.count
                #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 200)
                #expect(try await handshake(bridge, cookie) == 101)
                #expect(old.calls.count == calls)
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status == 200)
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status == 200)
                #expect(old.calls.count == calls + 1)
                // A user who was locked out here is not admitted again by the old server.
                #expect(try await bridge.admin("DELETE", "/shop/_user/waldo/_session").status == 200)
                #expect(try await bridge.ask("GET", "/shop/", headers: cookie).status == 401)
            }
        }
    }

    @Test("The upstream authenticates neither users that did not come from it nor the guest")
    func upstreamBounds() async throws {
        try await FakeServer.run(Self.oldServer) { (old, url) async throws in
            try await run({ $0.upstream = try Self.upstream(url) }) { (bridge) async throws in
                #expect(try await bridge.admin("PUT", "/shop/_user/waldo", #"{"password":"here"}"#).status == 201)
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "where")).status == 401)
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("GUEST", "x")).status == 401)
                #expect(old.calls.isEmpty)
                #expect(try await bridge.ask("GET", "/shop/", headers: "Cookie: SyncGatewaySession=old-1\r\n").status == 401)
                #expect(try await bridge.ask("GET", "/shop/", headers: basic("waldo", "here")).status == 200)
            }
        }
    }

    @Test("A request whose authenticator is unreachable gets 503; a challenge is sent only on request")
    func down() async throws {
        try await run(
            {
                $0.facebook = try Self.facebook(FakeServer.nobody)
                $0.upstream = try Self.upstream(FakeServer.nobody)
            }, challenge: false
        ) { (bridge) async throws in
            #expect(try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"good"}"#).status == 503)
            for headers in [basic("waldo", "where"), "Cookie: SyncGatewaySession=old-1\r\n"] {
                #expect(try await bridge.ask("GET", "/shop/", headers: headers).status == 503)
                #expect(try await handshake(bridge, headers) == 503)
            }
            #expect(try await bridge.admin("GET", "/shop/_user/").text == "[]")
            let refused = try await bridge.ask("GET", "/shop/")
            #expect(refused.status == 401 && refused["WWW-Authenticate"] == nil)
        }
    }
}
