import Access
import HTTPTypes
import Testing

@testable import Authentication

@Suite("Token logins: Facebook")
struct FacebookTests {
    private static let profile = #"{"id":"100","name":"A User","email":"a@example.com"}"#
    private static let canary = "CANARY-facebook-token"

    /// Facebook's Graph API for one token of one app.
    private static func graph(_ call: FakeVerifier.Call, app: String = "app-1") -> (String, Int) {
        guard call.headers[.authorization] == "Bearer \(canary)" else {
            return (#"{"error":{"message":"Invalid OAuth access token","type":"OAuthException","code":190}}"#, 400)
        }
        return (call.path == "/app" ? #"{"id":"\#(app)"}"# : profile, 200)
    }

    @Test("A token of the configured app logs its user in, and is in no URL")
    func accepted() async throws {
        try await FakeVerifier.run({ call in json(Self.graph(call).0, Self.graph(call).1) }) { graph, url in
            let identity = try await withClient { client in
                try await FacebookVerifier(.test(url), client: client).verify(Secret(Self.canary))
            }
            #expect(identity.userName.text == "100")
            #expect(identity.subject == "100")
            #expect(identity.email == "a@example.com")
            #expect(!identity.isEmailVerified && !identity.mayMatchEmail && !identity.mayRegister)
            #expect(graph.calls.allSatisfy { !$0.target.contains("CANARY") })
            #expect(graph.count("/me") == 1 && graph.count("/app") == 1)
        }
    }

    @Test("A token of another app is refused, unless every app is allowed")
    func otherApp() async throws {
        try await FakeVerifier.run({ call in json(Self.graph(call, app: "app-2").0) }) { graph, url in
            try await withClient { client in
                let error = await refusal { try await FacebookVerifier(.test(url), client: client).verify(Secret(Self.canary)) }
                #expect(error?.code == .refused)
                #expect(graph.count("/me") == 0)
                let identity = try await FacebookVerifier(.test(url, apps: .any), client: client).verify(Secret(Self.canary))
                #expect(identity.userName.text == "100")
            }
        }
    }

    @Test("A token that Facebook does not know is refused")
    func unknown() async throws {
        try await FakeVerifier.run({ call in json(Self.graph(call).0, Self.graph(call).1) }) { _, url in
            let error = await refusal {
                try await withClient { try await FacebookVerifier(.test(url), client: $0).verify(Secret("CANARY-other")) }
            }
            #expect(error?.code == .refused)
            #expect(error.map { "\($0)".contains("CANARY") } == false)
        }
    }

    @Test(
        "Graph's own failures do not count as a refusal",
        arguments: [#"{"error":{"code":2}}"#, #"{"error":{"code":190,"is_transient":true}}"#])
    func passing(_ body: String) async throws {
        try await FakeVerifier.run({ _ in json(body, 400) }) { _, url in
            let error = await refusal { try await withClient { try await FacebookVerifier(.test(url), client: $0).verify(Secret("t")) } }
            #expect(error?.code == .unavailable)
        }
    }

    @Test("A misbehaving Graph API is 503 and no login", arguments: Misbehaviour.allCases, ["/app", "/me"])
    func misbehaving(_ misbehaviour: Misbehaviour, at path: String) async throws {
        var limits = patientLimits
        if misbehaviour == .slow { limits.timeout = .milliseconds(300) }
        try await FakeVerifier.run({ call in
            call.path == path ? await misbehaviour.answer(Self.graph(call).0) : json(Self.graph(call).0)
        }) { graph, url in
            let error = await refusal {
                try await withClient(limits) { try await FacebookVerifier(.test(url), client: $0).verify(Secret(Self.canary)) }
            }
            #expect(error?.code == .unavailable)
            #expect(error.map { "\($0)".contains("CANARY") } == false)
            #expect(graph.count("/elsewhere") == 0)
        }
    }

    @Test("An unreachable Graph API is 503 and no login")
    func down() async throws {
        let url = try await FakeVerifier.run({ _ in json("{}") }) { _, url in url }
        let error = await refusal {
            try await withClient { try await FacebookVerifier(.test(url), client: $0).verify(Secret(Self.canary)) }
        }
        #expect(error?.code == .unavailable)
    }

    @Test("Incomplete responses are no login", arguments: ["{}", #"{"id":7}"#, #"{"id":""}"#, #"{"id":"a/b"}"#, #"{"id":"a b"}"#])
    func incomplete(_ body: String) async throws {
        try await FakeVerifier.run({ call in json(call.path == "/me" ? body : #"{"id":"app-1"}"#) }) { _, url in
            let error = await refusal { try await withClient { try await FacebookVerifier(.test(url), client: $0).verify(Secret("t")) } }
            #expect(error?.code == .unavailable)
        }
    }

    @Test(
        "A text that cannot be a token is not sent to Facebook",
        arguments: ["", "a b", "a\nX-Injected: 1", "ü", String(repeating: "a", count: 20_000)])
    func malformed(_ token: String) async throws {
        try await FakeVerifier.run({ call in json(Self.graph(call).0) }) { graph, url in
            let error = await refusal { try await withClient { try await FacebookVerifier(.test(url), client: $0).verify(Secret(token)) } }
            #expect(error?.code == .malformed)
            #expect(graph.calls.isEmpty)
        }
    }

    @Test("The app's secret signs the request, and is not sent")
    func proof() async throws {
        try await FakeVerifier.run({ call in json(Self.graph(call).0) }) { graph, url in
            var configuration = try FacebookConfiguration.test(url)
            configuration.appSecret = Secret("CANARY-secret")
            configuration.matchesEmail = true
            let identity = try await withClient { try await FacebookVerifier(configuration, client: $0).verify(Secret(Self.canary)) }
            #expect(identity.isEmailVerified && identity.mayMatchEmail)
            // HMAC-SHA256 of another tool.
            #expect(graph.calls.allSatisfy { $0.target.contains("appsecret_proof=") && !$0.target.contains("CANARY") })
        }
    }
}
