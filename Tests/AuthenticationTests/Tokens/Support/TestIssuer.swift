import Coordination
import HummingbirdCore

@testable import Authentication

/// An OpenID Connect provider in the test's process.
final class TestIssuer: Sendable {
    struct State {
        var keys: [String] = []
        var misbehaviour: Misbehaviour?
        var misbehavesAt = "/keys"
        var issuer: String?
        var keysURL: String?
        var tokenAnswer = "{}"
        var tokenStatus = 200
        var authMethods = #"["client_secret_basic"]"#
    }

    let url = Lock("")
    let state = Lock(State())

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    @Sendable func answer(_ call: FakeVerifier.Call) async -> Response {
        let (url, state) = (url.withLock { $0 }, state.withLock { $0 })
        let body: String
        switch call.path {
        case "/.well-known/openid-configuration":
            body = """
                {"issuer":"\(state.issuer ?? url)","authorization_endpoint":"\(url)/authorize","token_endpoint":"\(url)/token",\
                "jwks_uri":"\(state.keysURL ?? "\(url)/keys")","token_endpoint_auth_methods_supported":\(state.authMethods)}
                """
        case "/keys": body = #"{"keys":[\#(state.keys.joined(separator: ","))]}"#
        case "/token": return json(state.tokenAnswer, state.tokenStatus)
        default: return json("{}", 404)
        }
        if let misbehaviour = state.misbehaviour, call.path == state.misbehavesAt { return await misbehaviour.answer(body) }
        return json(body)
    }

    /// Runs a provider that publishes these keys during a test's body.
    static func run<Value: Sendable>(
        keys: [TestKey],
        _ body: (_ issuer: TestIssuer, _ verifier: FakeVerifier, _ url: String, _ client: VerificationClient) async throws -> Value
    ) async throws -> Value {
        let issuer = TestIssuer()
        issuer.set { $0.keys = keys.map(\.jwk) }
        return try await FakeVerifier.run(issuer.answer) { verifier, url in
            issuer.url.withLock { $0 = url }
            return try await withClient { client in try await body(issuer, verifier, url, client) }
        }
    }
}

extension OpenIDConfiguration {
    static func test(_ url: String, clientIDs: [String] = ["app"]) throws -> OpenIDConfiguration {
        OpenIDConfiguration(issuer: url, discovery: try discovery(of: url), clientIDs: clientIDs)
    }
}

/// Valid claims, some of them replaced.
func claims(_ issuer: String, now: Int64, _ changes: [String: String?] = [:]) -> String {
    var members: [String: String] = [
        "iss": #""\#(issuer)""#, "aud": #""app""#, "sub": #""user-1""#, "exp": "\(now + 600)", "iat": "\(now - 1)",
        "email": #""u@example.com""#, "email_verified": "true",
    ]
    for (name, value) in changes { members[name] = value }
    return "{" + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
}
