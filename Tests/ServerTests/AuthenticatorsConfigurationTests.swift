import Access
import Authentication
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Configuration of authenticators")
struct AuthenticatorsConfigurationTests {
    private func authenticators(_ lines: String, environment: [String: String] = [:]) throws -> AuthenticatorsConfiguration {
        try #require(try shop("authenticators:\n\(indented(lines))", environment: environment).databases.first).authenticators
    }

    private func complaint(_ lines: String) throws -> ConfigurationError? {
        try ServerTests.complaint { try shop("authenticators:\n\(indented(lines))") }
    }

    private func indented(_ lines: String) -> String {
        lines.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    }

    @Test("Without authenticators no other service authenticates users")
    func none() throws {
        let none = try #require(try shop().databases.first).authenticators
        #expect(none.facebook == nil && none.persona == nil && none.google == nil && none.oidc.isEmpty)
        #expect(none.clientCertificate == nil && none.upstream == nil)
    }

    @Test("The example of the documentation is accepted")
    func documented() throws {
        let all = try authenticators(
            """
            facebook: { register: true, appID: "1234", graphURL: "https://graph.facebook.com" }
            persona: { verifierURL: "https://verifier.example.com/verify", audience: "https://app.example.com" }
            oidc: { issuer: "https://id.example.com", clientID: app, register: true }
            upstream: { url: "https://old.example.com/shop" }
            """)
        #expect(all.facebook?.apps == .only(["1234"]) && all.facebook?.registers == true && all.facebook?.matchesEmail == false)
        #expect(all.facebook?.graph.url == "https://graph.facebook.com")
        #expect(all.persona?.verifier.url == "https://verifier.example.com/verify" && all.persona?.audience == "https://app.example.com")
        #expect(all.oidc.map(\.issuer) == ["https://id.example.com"] && all.oidc.first?.clientIDs == ["app"])
        #expect(all.oidc.first?.discovery.url == "https://id.example.com/.well-known/openid-configuration")
        #expect(all.oidc.first?.registers == true && all.oidc.first?.clockSkew == 60 && all.oidc.first?.checksState == true)
        #expect(all.upstream?.database.url == "https://old.example.com/shop" && all.upstream?.cookieName == "SyncGatewaySession")
    }

    @Test("Every key is read")
    func everything() throws {
        let all = try authenticators(
            """
            facebook: { appID: ["1", "2"], appSecret: "${SECRET}", emailFallback: true }
            persona: { verifierURL: "http://127.0.0.1:9/v", audience: a, issuers: [b], clockSkew: 5s, reuse: 10s, register: true }
            google: { appID: g, register: true, emailFallback: true, clockSkew: 0s, issuer: "http://localhost:9" }
            oidc:
              - { name: one, issuer: "https://one.example.com", clientID: [a, b], clientSecret: "${SECRET}", userPrefix: one, scopes: [openid] }
              - name: two
                issuer: https://two.example.com
                clientID: a
                discoveryURL: https://two.example.com/d
                callbackURL: https://sync.example.com/db/_oidc_callback
                usernameClaim: login
                channelsClaim: channels
                rolesClaim: roles
                includeAccessToken: true
                callbackState: false
                clockSkew: 2m
            upstream: { url: "http://old:4984/shop", cookieName: AuthSession, refusalLifetime: 5m, rates: { user: 1, address: 2, total: 3 } }
            limits: { connectTimeout: 1s, timeout: 2s, responseSize: 64KiB, concurrency: 4 }
            authorities: ca.pem
            """, environment: ["SECRET": "CANARY"])
        #expect(
            all.facebook?.apps == .only(["1", "2"]) && all.facebook?.appSecret == Secret("CANARY") && all.facebook?.matchesEmail == true)
        #expect(all.persona?.issuers == ["b"] && all.persona?.clockSkew == 5 && all.persona?.reuse == 10 && all.persona?.registers == true)
        #expect(all.google?.clientIDs == ["g"] && all.google?.issuer == "http://localhost:9" && all.google?.clockSkew == 0)
        #expect(
            all.oidc.map(\.name) == ["one", "two"] && all.oidc[0].clientIDs == ["a", "b"] && all.oidc[0].naming == .subject(prefix: "one"))
        #expect(all.oidc[0].scopes == ["openid"] && all.oidc[0].clientSecret == Secret("CANARY"))
        #expect(
            all.oidc[1].naming == .claim("login", prefix: nil) && all.oidc[1].channelsClaim == "channels"
                && all.oidc[1].rolesClaim == "roles")
        #expect(all.oidc[1].includesAccessToken && !all.oidc[1].checksState && all.oidc[1].clockSkew == 120)
        #expect(
            all.oidc[1].discovery.url == "https://two.example.com/d"
                && all.oidc[1].callbackURL == "https://sync.example.com/db/_oidc_callback")
        #expect(all.upstream?.cookieName == "AuthSession" && all.upstream?.refusalLifetime == 300 && all.upstream?.rates.total == 3)
        #expect(all.limits.timeout == .seconds(2) && all.limits.responseSize == 65_536 && all.limits.concurrency == 4)
        #expect(all.authorityFile == "/etc/bridge/ca.pem")
        #expect(!String(reflecting: all).contains("CANARY"))
    }

    @Test(
        "Invalid values are refused",
        arguments: [
            ("facebook: {}", "facebook", "allowAnyApp: true"), ("facebook: { appID: [] }", "facebook.appID", "empty"),
            ("facebook: { appID: a, allowAnyApp: true }", "facebook", "contradicts"),
            ("facebook: { appId: a }", "facebook.appId", "`appID`"),
            ("facebook: { appID: a, graphURL: 'http://graph.example.com' }", "facebook.graphURL", "https"),
            ("persona: { audience: a }", "persona", "verifierURL"), ("persona: { verifierURL: 'https://v' }", "persona", "audience"),
            ("persona: { verifierURL: x, audience: a }", "persona.verifierURL", "URL"), ("google: {}", "google", "appID"),
            ("oidc: { issuer: 'https://id' }", "oidc", "clientID"), ("oidc: { issuer: id, clientID: a }", "oidc.issuer", "URL"),
            ("oidc: { issuer: 'http://id.example.com', clientID: a }", "oidc.issuer", "https"),
            ("oidc: { issuer: 'https://id', clientID: a, scopes: [email] }", "oidc.scopes", "openid"),
            ("oidc: { issuer: 'https://id', clientID: a, clockSkew: 1h }", "oidc.clockSkew", "600s"),
            ("oidc: { issuer: 'https://id', clientID: a, userPrefix: 'a b' }", "oidc.userPrefix", "user's name"),
            ("oidc: [{ issuer: 'https://a', clientID: a }, { issuer: 'https://b', clientID: a }]", "oidc[1]", "name"),
            ("oidc: [{ name: a, issuer: 'https://a', clientID: a }, { name: a, issuer: 'https://b', clientID: a }]", "oidc[2]", "named"),
            ("upstream: {}", "upstream", "url"), ("upstream: { url: 'ftp://a' }", "upstream.url", "URL"),
            ("upstream: { url: 'https://a', cookieName: 'a b' }", "upstream.cookieName", "cookie"),
            ("upstream: { url: 'https://a', rates: { user: 0 } }", "upstream.rates.user", "from 1"),
            ("limits: { timeout: 0s }", "limits.timeout", "at most"), ("limits: { timeout: 1h }", "limits.timeout", "at most"),
            ("twitter: {}", "twitter", "unknown key"), ("clientCertificate: {}", "clientCertificate", "clientCA"),
            ("clientCertificate: { user: serial }", "clientCertificate.user", "commonName"),
        ])
    func refused(_ lines: String, _ path: String, _ message: String) throws {
        let error = try #require(try complaint(lines))
        #expect(
            error.findings.contains { $0.path == "databases.shop.authenticators.\(path)" && $0.message.contains(message) }, "\(error)")
    }

    @Test("Client certificates need an authority that signs them")
    func certificates() throws {
        let text = """
            listen: { tls: { certificate: a.pem, key: a.key, clientCA: ca.pem } }
            databases: { shop: { store: s, authenticators: { clientCertificate: { user: email, suffix: "@example.com", register: true } } } }
            """
        let certificate = try #require(try parse(text).databases.first?.authenticators.clientCertificate)
        #expect(certificate.field == .email && certificate.suffix == "@example.com" && certificate.registers)
    }
}
