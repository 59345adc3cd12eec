import Access
import Coordination
import Documents
import Testing

@testable import Authentication

@Suite("Token logins: ID tokens and their issuer")
struct OpenIDVerifierTests {
    private let clock = SecondClock()

    private func verifier(_ url: String, _ client: VerificationClient) throws -> OpenIDVerifier {
        OpenIDVerifier(try .test(url), client: client, clock: clock.clock)
    }

    private func claims(_ url: String, _ changes: [String: String?] = [:]) -> String {
        AuthenticationTests.claims(url, now: clock.now, changes)
    }

    @Test("Tokens signed with RS256 and ES256 are accepted, with and without a key ID", arguments: [TestKey.Kind.rsa, .ec])
    func accepted(_ kind: TestKey.Kind) async throws {
        let key = try await TestKey(kind, kid: "k1")
        try await TestIssuer.run(keys: [try await TestKey(.ec, kid: "other"), key]) { _, server, url, client in
            var configuration = try OpenIDConfiguration.test(url)
            configuration.channelsClaim = "channels"
            configuration.rolesClaim = "roles"
            configuration.registers = true
            let verifier = OpenIDVerifier(configuration, client: client, clock: clock.clock)
            let token = try key.token(claims(url, ["channels": #"["a","b"]"#, "roles": #""admin""#]))
            let identity = try await verifier.verify(token)
            #expect(identity.subject == "user-1" && identity.email == "u@example.com" && identity.isEmailVerified)
            #expect(identity.userName.text.hasPrefix("127.0.0.1%3A") && identity.userName.text.hasSuffix("_user-1"))
            #expect(identity.channels == ["a", "b"] && identity.roles == ["admin"] && identity.mayRegister && !identity.mayMatchEmail)
            #expect(identity.expires == clock.now + 600)
            _ = try await verifier.verify(try key.token(claims(url), header: #"{"alg":"\#(key.algorithm)"}"#))
            #expect(server.count("/keys") == 1 && server.count("/.well-known/openid-configuration") == 1)
        }
    }

    @Test("Forged tokens are refused: unsigned, signed with the public key as a shared one, signed by others, or changed")
    func forged() async throws {
        let (rsa, ec, other) = (try await TestKey(.rsa, kid: "k1"), try await TestKey(.ec, kid: "k2"), try await TestKey(.ec, kid: "k2"))
        try await TestIssuer.run(keys: [rsa, ec]) { _, _, url, client in
            let verifier = try verifier(url, client)
            let good = claims(url)
            let genuine = try ec.token(good).revealed
            let parts = genuine.split(separator: ".").map(String.init)
            let changed = Base64URL.encode(Array(claims(url, ["sub": #""admin""#]).utf8))
            let shared = try await HS256.token(good, kid: "k1", key: TestKey.rsaPublicPEM())
            let forgeries: [(String, Secret, LoginError.Code)] = [
                ("none", TestKey.token(header: #"{"alg":"none"}"#, claims: good, signature: []), .refused),
                (
                    "none with a signature", TestKey.token(header: #"{"alg":"none","kid":"k1"}"#, claims: good, signature: [1, 2, 3]),
                    .refused
                ),
                ("HS256", shared, .refused),
                ("another's key", try other.token(good), .refused),
                ("another kind of key", try ec.token(good, header: #"{"alg":"ES256","kid":"k1"}"#), .refused),
                ("a lie about the algorithm", try ec.token(good, header: #"{"alg":"RS256","kid":"k1"}"#), .refused),
                ("other claims", Secret("\(parts[0]).\(changed).\(parts[2])"), .refused),
                ("a short signature", Secret("\(parts[0]).\(parts[1]).AQI"), .refused),
                (
                    "a signature of zeros",
                    TestKey.token(header: #"{"alg":"ES256","kid":"k2"}"#, claims: good, signature: [UInt8](repeating: 0, count: 64)),
                    .refused
                ),
            ]
            for (name, token, code) in forgeries {
                let error = await refusal { try await verifier.verify(token) }
                #expect(error?.code == code, "\(name)")
            }
            _ = try await verifier.verify(Secret(genuine))
        }
    }

    @Test("Tokens for another audience or time cause no request to the issuer")
    func wrongClaims() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        try await TestIssuer.run(keys: [key]) { _, server, url, client in
            let verifier = try verifier(url, client)
            for change in [
                ["iss": #""https://evil.example.com""#], ["aud": #""other""#], ["exp": "\(clock.now - 60)"], ["nbf": "\(clock.now + 61)"],
                ["iat": "\(clock.now + 61)"], ["sub": nil],
            ] as [[String: String?]] {
                let error = await refusal { try await verifier.verify(try key.token(claims(url, change))) }
                #expect(error?.code == .refused)
            }
            #expect(server.calls.isEmpty)
        }
    }

    @Test("A rotated key is found, invented key IDs do not cause a request each, and a withdrawn key is detected")
    func rotation() async throws {
        let (old, new) = (try await TestKey(.ec, kid: "old"), try await TestKey(.ec, kid: "new"))
        try await TestIssuer.run(keys: [old]) { issuer, server, url, client in
            let verifier = try verifier(url, client)
            _ = try await verifier.verify(try old.token(claims(url)))
            issuer.set { $0.keys = [old.jwk, new.jwk] }
            clock.advance(KeyCache.interval)
            _ = try await verifier.verify(try new.token(claims(url)))
            #expect(server.count("/keys") == 2)
            for index in 0..<20 {
                let token = try new.token(claims(url), header: #"{"alg":"ES256","kid":"invented-\#(index)"}"#)
                let error = await refusal { try await verifier.verify(token) }
                #expect(error?.code == .refused)
            }
            #expect(server.count("/keys") == 2)
            issuer.set { $0.keys = [new.jwk] }
            clock.advance(KeyCache.refreshAge)
            let error = await refusal { try await verifier.verify(try old.token(claims(url))) }
            #expect(error?.code == .refused)
        }
    }

    @Test(
        "A misbehaving issuer is 503 and no login", arguments: Misbehaviour.allCases, ["/keys", "/.well-known/openid-configuration"])
    func misbehaving(_ misbehaviour: Misbehaviour, at path: String) async throws {
        let key = try await TestKey(.ec, kid: "k1")
        let issuer = TestIssuer()
        issuer.set {
            $0.keys = [key.jwk]
            $0.misbehaviour = misbehaviour
            $0.misbehavesAt = path
        }
        var limits = patientLimits
        if misbehaviour == .slow { limits.timeout = .milliseconds(300) }
        try await FakeVerifier.run(issuer.answer) { server, url in
            issuer.url.withLock { $0 = url }
            try await withClient(limits) { client in
                let error = await refusal { try await verifier(url, client).verify(try key.token(claims(url))) }
                #expect(error?.code == .unavailable)
                #expect(server.count("/elsewhere") == 0)
            }
        }
    }

    @Test("While an issuer fails, known keys stay valid for a day, and unknown ones are 503")
    func fails() async throws {
        let (key, other) = (try await TestKey(.ec, kid: "k1"), try await TestKey(.ec, kid: "k2"))
        try await TestIssuer.run(keys: [key]) { issuer, _, url, client in
            let verifier = try verifier(url, client)
            _ = try await verifier.verify(try key.token(claims(url)))
            issuer.set { $0.misbehaviour = .failing }
            clock.advance(KeyCache.refreshAge)
            _ = try await verifier.verify(try key.token(claims(url)))
            let error = await refusal { try await verifier.verify(try other.token(claims(url))) }
            #expect(error?.code == .unavailable)
            clock.advance(KeyCache.maximumAge)
            let late = await refusal { try await verifier.verify(try key.token(claims(url))) }
            #expect(late?.code == .unavailable)
        }
    }

    @Test("An unreachable issuer is 503")
    func down() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        let url = try await FakeVerifier.run({ _ in json("{}") }) { _, url in url }
        let error = await refusal { try await withClient { try await verifier(url, $0).verify(try key.token(claims(url))) } }
        #expect(error?.code == .unavailable)
    }

    @Test("A description of another issuer, or one that leads into a private network, is refused")
    func description() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        for change in [
            "http://169.254.169.254/keys", "https://10.0.0.1/keys", "https://[::1]/keys", "https://localhost/keys", "file:///etc/passwd",
            "http://example.com/keys",
        ] {
            try await TestIssuer.run(keys: [key]) { issuer, _, url, client in
                issuer.set { $0.keysURL = change }
                let error = await refusal { try await verifier(url, client).verify(try key.token(claims(url))) }
                #expect(error?.code == .unavailable, "\(change)")
            }
        }
        try await TestIssuer.run(keys: [key]) { issuer, server, url, client in
            issuer.set { $0.issuer = "https://evil.example.com" }
            let error = await refusal { try await verifier(url, client).verify(try key.token(claims(url))) }
            #expect(error?.code == .unavailable)
            #expect(server.count("/keys") == 0)
        }
    }

    @Test("Many concurrent logins request the keys once")
    func shared() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        try await TestIssuer.run(keys: [key]) { _, server, url, client in
            let verifier = try verifier(url, client)
            let token = try key.token(claims(url))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { _ = try await verifier.verify(token) } }
                try await group.waitForAll()
            }
            #expect(server.count("/keys") == 1)
        }
    }

    @Test("A token selects its own of several providers")
    func several() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        try await TestIssuer.run(keys: [key]) { _, _, url, client in
            var (first, second) = (
                try OpenIDConfiguration.test(url, clientIDs: ["one"]), try OpenIDConfiguration.test(url, clientIDs: ["two"])
            )
            first.name = "first"
            second.name = "second"
            second.naming = .subject(prefix: "second")
            let providers = OpenIDProviders([first, second], client: client, clock: clock.clock)
            let identity = try await providers.verify(try key.token(claims(url, ["aud": #""two""#])))
            #expect(identity.userName.text == "second_user-1")
            for change in [["aud": #""three""#], ["iss": #""https://evil.example.com""#], ["iss": nil]] as [[String: String?]] {
                let error = await refusal { try await providers.verify(try key.token(claims(url, change))) }
                #expect(error?.code == .refused)
            }
            #expect(try providers.flow(with: nil).verifier.configuration.name == "first")
            #expect(try providers.flow(with: "second").verifier.configuration.name == "second")
            #expect(throws: LoginError.self) { try providers.flow(with: "third") }
        }
    }

    @Test("Google's tokens name the subject, and select a user by verified email if that is configured")
    func google() async throws {
        let key = try await TestKey(.rsa, kid: "g1")
        try await TestIssuer.run(keys: [key]) { _, _, url, client in
            var configuration = try GoogleConfiguration(clientIDs: ["app", "ios"], issuer: url)
            configuration.matchesEmail = true
            let verifier = GoogleVerifier(configuration, client: client, clock: clock.clock)
            let identity = try await verifier.verify(try key.token(claims(url, ["aud": #""ios""#, "sub": #""1170""#])))
            #expect(
                identity.authenticator == .google && identity.userName.text == "1170" && identity.mayMatchEmail && identity.isEmailVerified)
            let unverified = try await verifier.verify(try key.token(claims(url, ["email_verified": "false"])))
            #expect(!unverified.isEmailVerified)
            let error = await refusal { try await verifier.verify(try key.token(claims(url, ["aud": #""other-app""#]))) }
            #expect(error?.code == .refused)
        }
    }
}
