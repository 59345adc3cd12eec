import Access
import Authentication
import BridgeConfiguration
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Server
import Testing

/// Google, Persona and OpenID Connect logins at a running bridge, with issuers that also send invalid replies.
@Suite("Token logins from end to end", .serialized)
struct TokenFlowTests {
    private func run(
        _ authenticators: @Sendable (inout AuthenticatorsConfiguration, _ url: String) throws -> Void,
        _ body: @Sendable (_ bridge: RunningBridge, _ issuer: FakeIssuer, _ url: String) async throws -> Void
    ) async throws {
        let issuer = FakeIssuer()
        try await FakeServer.run(issuer.answer) { (_, url) async throws in
            try await RunningBridge.run(
                { $0.guest = GuestConfiguration() }, serving: { try authenticators(&$0.authenticators, url) }
            ) { (bridge) async throws in
                try await body(bridge, issuer, url)
            }
        }
    }

    private func cookie(_ answer: RawAnswer) -> String {
        "Cookie: \((answer["Set-Cookie"] ?? "").prefix { $0 != ";" })\r\n"
    }

    private static func google(_ configuration: inout AuthenticatorsConfiguration, _ url: String) throws {
        var google = try GoogleConfiguration(clientIDs: ["app"], issuer: url)
        google.registers = true
        configuration.google = google
    }

    @Test("A Google login creates the user and a session; tokens for other apps, unsigned and expired ones do not")
    func google() async throws {
        try await run(Self.google) { (bridge, issuer, url) async throws in
            func login(_ token: String) async throws -> RawAnswer {
                try await bridge.ask("POST", "/shop/_google", #"{"id_token":"\#(token)"}"#)
            }
            let answer = try await login(issuer.token(url))
            #expect(answer.status == 200)
            #expect(try answer.json["userCtx"]?["name"]?.string == "u1")
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie(answer)).status == 200)
            let wrong = [
                try issuer.token(url, ["aud": #""other""#]), try issuer.token(url, ["exp": "1"]), try issuer.token(url, isUnsigned: true),
                try issuer.token(url, ["iss": #""https://accounts.google.com""#]), try issuer.token(url, ["sub": #""""#]),
            ]
            for token in wrong { #expect([400, 401].contains(try await login(token).status)) }
            #expect(try await bridge.admin("GET", "/shop/_user/").text == #"["u1"]"#)
        }
    }

    @Test(
        "An invalid reply of an issuer gets 503, for logins and for requests, and is never a login",
        arguments: [500, 302, 200])
    func faults(status: Int) async throws {
        try await run({ configuration, url in
            try Self.google(&configuration, url)
            configuration.persona = PersonaConfiguration(
                verifier: try VerificationEndpoint(configured: "\(url)/verify"), audience: "https://app.example.com")
        }) { (bridge, issuer, url) async throws in
            issuer.setFault {
                // 200 means an endless reply.
                let filler = String(repeating: "a", count: status == 200 ? 8 << 20 : 10)
                var answer = FakeServer.json(#"{"status":"okay","email":"zoe@example.com","keys":[],"filler":"\#(filler)"}"#, status)
                if status == 302 { answer.headers[.location] = "/elsewhere" }
                return answer
            }
            let google = try await bridge.ask("POST", "/shop/_google", #"{"id_token":"\#(issuer.token(url))"}"#)
            #expect(google.status == 503)
            let persona = try await bridge.ask("POST", "/shop/_persona", #"{"assertion":"a~b"}"#)
            #expect(persona.status == 503)
            #expect(google["Set-Cookie"] == nil && persona["Set-Cookie"] == nil)
            #expect(try await bridge.admin("GET", "/shop/_user/").text == "[]")
        }
    }

    @Test("A Persona login creates the user; an assertion for another site is refused")
    func persona() async throws {
        try await run({ configuration, url in
            var persona = PersonaConfiguration(
                verifier: try VerificationEndpoint(configured: "\(url)/verify"), audience: "https://app.example.com")
            persona.registers = true
            configuration.persona = persona
        }) { (bridge, issuer, _) async throws in
            func answer(_ audience: String) -> String {
                let expires = Int(Date().timeIntervalSince1970 + 600) * 1000
                return
                    #"{"status":"okay","email":"zoe@example.com","audience":"\#(audience)","issuer":"example.com","expires":\#(expires)}"#
            }
            issuer.setTokens(answer("https://evil.example.com"))
            #expect(try await bridge.ask("POST", "/shop/_persona", #"{"assertion":"a~b"}"#).status == 401)
            issuer.setTokens(answer("https://app.example.com"))
            let login = try await bridge.ask("POST", "/shop/_persona", #"{"assertion":"c~d"}"#)
            #expect(login.status == 200)
            #expect(try login.json["userCtx"]?["name"]?.string == "zoe@example.com")
            #expect(try await bridge.ask("GET", "/shop/", headers: cookie(login)).status == 200)
            // iOS sends the plain text.
            #expect(try await bridge.ask("POST", "/shop/_persona", #""e~f""#).status == 200)
        }
    }

    private static func oidc(_ configuration: inout AuthenticatorsConfiguration, _ url: String) throws {
        var oidc = OpenIDConfiguration(issuer: url, discovery: try OpenIDConfiguration.discovery(of: url), clientIDs: ["app"])
        oidc.registers = true
        oidc.naming = .bareSubject
        oidc.clientSecret = Secret("s")
        configuration.oidc = [oidc]
    }

    private static func query(_ url: String) -> [String: String] {
        Dictionary(
            (URLComponents(string: url)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    @Test("A browser gets a code from the provider, which becomes a session only in the same browser")
    func browser() async throws {
        try await run(Self.oidc) { (bridge, issuer, url) async throws in
            let begin = try await bridge.ask("GET", "/shop/_oidc?offline=true")
            #expect(begin.status == 302)
            let location = try #require(begin["Location"])
            #expect(location.hasPrefix("\(url)/authorize?"))
            let query = Self.query(location)
            let (state, nonce) = (try #require(query["state"]), try #require(query["nonce"]))
            #expect(query["redirect_uri"]?.hasSuffix("/shop/_oidc_callback") == true)
            issuer.setTokens(#"{"id_token":"\#(try issuer.token(url, ["nonce": "\"\(nonce)\""]))","refresh_token":"r1","expires_in":600}"#)
            let path = "/shop/_oidc_callback?code=c&state=\(state)"
            // Another browser that a page sends here to finish its login lacks the cookie.
            #expect(try await [400, 401].contains(bridge.ask("GET", path).status))
            let finish = try await bridge.ask("GET", path, headers: cookie(begin))
            #expect(finish.status == 200)
            #expect(try finish.json["name"]?.string == "u1" && finish.json["refresh_token"]?.string == "r1")
            let session = try #require(try finish.json["session_id"]?.string)
            #expect(try await bridge.ask("GET", "/shop/", headers: "Cookie: SyncGatewaySession=\(session)\r\n").status == 200)
            issuer.setTokens(#"{"id_token":"\#(try issuer.token(url))","expires_in":600}"#)
            let refresh = try await bridge.ask("GET", "/shop/_oidc_refresh?refresh_token=r1")
            #expect(refresh.status == 200)
            #expect(try refresh.json["session_id"]?.string != nil)
            // A token with another login's nonce is refused.
            let again = try await bridge.ask("GET", "/shop/_oidc")
            let other = try #require(again["Location"].map(Self.query)?["state"])
            issuer.setTokens(#"{"id_token":"\#(try issuer.token(url, ["nonce": "\"\(nonce)\""]))"}"#)
            let replayed = try await bridge.ask("GET", "/shop/_oidc_callback?code=c&state=\(other)", headers: cookie(again))
            #expect(replayed.status == 401)
        }
    }

    @Test("A 401 has the address for the user's login; an unreachable provider gets 503")
    func challenge() async throws {
        try await run(Self.oidc) { (bridge, issuer, url) async throws in
            let challenge = try await bridge.ask("GET", "/shop/_oidc_challenge")
            #expect(challenge.status == 401)
            #expect(challenge["WWW-Authenticate"]?.hasPrefix(#"OIDC login="\#(url)/authorize?"#) == true)
            issuer.setFault { FakeServer.json("{}", 500) }
            #expect(try await bridge.ask("GET", "/shop/_oidc_refresh?refresh_token=r1").status == 503)
        }
    }
}
