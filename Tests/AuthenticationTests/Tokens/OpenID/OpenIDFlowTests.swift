import Access
import Foundation
import HTTPTypes
import Testing

@testable import Authentication

@Suite("Token logins: a browser's login at a provider")
struct OpenIDFlowTests {
    private static let callback = "https://sync.example.com/db/_oidc_callback"
    private let clock = SecondClock()

    private func flow(_ url: String, _ client: VerificationClient, _ change: (inout OpenIDConfiguration) -> Void = { _ in }) throws
        -> OpenIDFlow
    {
        var configuration = try OpenIDConfiguration.test(url)
        configuration.clientSecret = Secret("CANARY:secret")
        change(&configuration)
        return try OpenIDProviders([configuration], client: client, clock: clock.clock).flow(with: nil)
    }

    private func query(_ url: String) -> [String: String] {
        Dictionary(
            (URLComponents(string: url)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    @Test("The login begins at the provider with an unpredictable state")
    func begins() async throws {
        try await TestIssuer.run(keys: []) { _, _, url, client in
            let flow = try flow(url, client)
            let challenge = try await flow.begin(isOffline: true, callback: Self.callback)
            #expect(challenge.loginURL.hasPrefix("\(url)/authorize?"))
            let query = query(challenge.loginURL)
            #expect(query["response_type"] == "code" && query["client_id"] == "app" && query["redirect_uri"] == Self.callback)
            #expect(query["scope"] == "openid+email" && query["access_type"] == "offline" && query["prompt"] == "consent")
            #expect(query["state"] == challenge.state && challenge.state?.count == 22)
            #expect(query["nonce"] != nil && query["nonce"] != query["state"])
            #expect(!challenge.loginURL.contains("CANARY"))
            let second = try await flow.begin(isOffline: false, callback: Self.callback)
            #expect(second.state != challenge.state)
            #expect(self.query(second.loginURL)["access_type"] == nil)
        }
    }

    @Test("The login ends with a code, the state of its beginning, and a token for its nonce")
    func ends() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        try await TestIssuer.run(keys: [key]) { issuer, server, url, client in
            let flow = try flow(url, client)
            let state = try #require(try await flow.begin(isOffline: true, callback: Self.callback).state)
            let nonce = LoginState(state).nonce
            let token = try key.token(claims(url, now: clock.now, ["nonce": #""\#(nonce)""#]))
            issuer.set {
                $0.tokenAnswer =
                    #"{"id_token":"\#(token.revealed)","refresh_token":"r1","access_token":"a1","token_type":"Bearer","expires_in":60}"#
            }
            let tokens = try await flow.finish(code: Secret("CANARY-code"), state: state, cookie: state, callback: Self.callback)
            #expect(tokens.identity.subject == "user-1" && tokens.refreshToken?.revealed == "r1" && tokens.accessToken == nil)
            let call = try #require(server.calls.last { $0.path == "/token" })
            #expect(call.body.contains("grant_type=authorization_code&code=CANARY-code") && !call.body.contains("secret"))
            // RFC 6749, 2.3.1: both are form-encoded first.
            #expect(call.headers[.authorization] == "Basic \(Data("app:CANARY%3Asecret".utf8).base64EncodedString())")
        }
    }

    @Test("A login that began elsewhere, or nowhere, is refused")
    func forged() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        try await TestIssuer.run(keys: [key]) { issuer, server, url, client in
            let flow = try flow(url, client)
            let (mine, other) = (LoginState(), LoginState())
            for (state, cookie) in [(mine.text, nil), (nil, mine.text), (mine.text, other.text), ("", ""), (mine.text, "")]
                as [(String?, String?)]
            {
                let error = await refusal {
                    try await flow.finish(code: Secret("c"), state: state, cookie: cookie, callback: Self.callback)
                }
                #expect(error?.code == .malformed)
            }
            #expect(server.count("/token") == 0)
            // Another user's code comes with a token for another nonce.
            for nonce in [#""\#(other.nonce)""#, nil] {
                let token = try key.token(claims(url, now: clock.now, ["nonce": nonce]))
                issuer.set { $0.tokenAnswer = #"{"id_token":"\#(token.revealed)"}"# }
                let error = await refusal {
                    try await flow.finish(code: Secret("c"), state: mine.text, cookie: mine.text, callback: Self.callback)
                }
                #expect(error?.code == .refused)
            }
        }
    }

    @Test(
        "A refused exchange is told apart from a failing provider, and neither message contains the exchanged data",
        arguments: [(400, .refused), (401, .refused), (500, .unavailable), (302, .unavailable), (429, .unavailable)]
            as [(Int, LoginError.Code)])
    func exchange(_ status: Int, _ expected: LoginError.Code) async throws {
        try await TestIssuer.run(keys: []) { issuer, _, url, client in
            issuer.set { $0.tokenStatus = status }
            let flow = try flow(url, client)
            let error = await refusal { try await flow.refresh(Secret("CANARY-refresh")) }
            #expect(error?.code == expected)
            #expect(error.map { "\($0)".contains("CANARY") } == false)
        }
    }

    @Test("A refresh gives a new token, and is refused without a token or with a forged one")
    func refresh() async throws {
        let (key, forger) = (try await TestKey(.ec, kid: "k1"), try await TestKey(.ec, kid: "k1"))
        try await TestIssuer.run(keys: [key]) { issuer, server, url, client in
            let flow = try flow(url, client) {
                $0.includesAccessToken = true
                $0.clientSecret = nil
            }
            let text = claims(url, now: clock.now)

            let forged = try forger.token(text).revealed
            for answer in ["{}", #"{"id_token":7}"#, #"{"id_token":"x.y.z"}"#, #"{"id_token":"\#(forged)"}"#] {
                issuer.set { $0.tokenAnswer = answer }
                let error = await refusal { try await flow.refresh(Secret("r")) }
                #expect(error?.code == .refused)
            }
            let token = try key.token(text).revealed
            issuer.set { $0.tokenAnswer = #"{"id_token":"\#(token)","access_token":"a1","token_type":"Bearer","expires_in":60}"# }
            let tokens = try await flow.refresh(Secret("r"))
            #expect(tokens.idToken.revealed == token && tokens.accessToken?.revealed == "a1" && tokens.expiresIn == 60)
            #expect(server.calls.last { $0.path == "/token" }?.body == "grant_type=refresh_token&refresh_token=r&client_id=app")
        }
    }

    @Test("Clients without cookies log in if the configuration allows it, and a provider may require the secret in the form")
    func variants() async throws {
        let key = try await TestKey(.ec, kid: "k1")
        try await TestIssuer.run(keys: [key]) { issuer, server, url, client in
            let token = try key.token(claims(url, now: clock.now)).revealed
            issuer.set {
                $0.authMethods = #"["client_secret_post"]"#
                $0.tokenAnswer = #"{"id_token":"\#(token)"}"#
            }
            let flow = try flow(url, client) {
                $0.checksState = false
                $0.callbackURL = "https://configured.example.com/cb"
            }
            let challenge = try await flow.begin(isOffline: false, callback: Self.callback)
            #expect(challenge.state == nil && query(challenge.loginURL)["redirect_uri"] == "https://configured.example.com/cb")
            _ = try await flow.finish(code: Secret("c"), state: nil, cookie: nil, callback: Self.callback)
            let body = try #require(server.calls.last { $0.path == "/token" }?.body)
            #expect(
                body.contains("client_secret=CANARY%3Asecret") && body.contains("redirect_uri=https%3A%2F%2Fconfigured.example.com%2Fcb"))
        }
    }
}
