import Access
import Documents
import Testing

@testable import Authentication

@Suite("Token logins: Persona")
struct PersonaTests {
    private let clock = SecondClock()

    private func configuration(_ url: String = "http://127.0.0.1:1") throws -> PersonaConfiguration {
        PersonaConfiguration(verifier: try VerificationEndpoint(configured: "\(url)/verify"), audience: "https://app.example.com")
    }

    private func answer(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "status": #""okay""#, "email": #""u@example.com""#, "audience": #""https://app.example.com""#,
            "expires": "\((clock.now + 100) * 1000)",
            "issuer": #""login.persona.org""#,
        ]
        for (name, value) in changes { members[name] = value }
        return "{" + members.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
    }

    private func evaluate(_ changes: [String: String?], issuers: Set<String> = []) throws -> LoginError.Code? {
        var configuration = try configuration()
        configuration.issuers = issuers
        do {
            _ = try PersonaAnswer(try JSONValue(Array(answer(changes).utf8)), for: configuration, now: clock.now)
            return nil
        } catch let error as LoginError {
            return error.code
        }
    }

    @Test("The verifier's response must be complete and valid")
    func responses() throws {
        let now = clock.now
        #expect(try evaluate([:]) == nil)
        #expect(try evaluate(["status": #""failure""#, "reason": #""no""#]) == .refused)
        #expect(try evaluate(["status": nil]) == .unavailable)
        #expect(try evaluate(["status": "true"]) == .unavailable)
        for name in ["email", "audience", "issuer", "expires"] {
            #expect(try evaluate([name: nil]) == .unavailable)
            #expect(try evaluate([name: "null"]) == .unavailable)
        }
        #expect(try evaluate(["audience": #""https://evil.example.com""#]) == .refused)
        #expect(try evaluate(["audience": #""http://app.example.com""#]) == .refused)
        #expect(try evaluate(["audience": #""https://app.example.com.evil.com""#]) == .refused)
        for same in ["https://app.example.com/", "https://app.example.com:443", "HTTPS://App.example.com"] {
            #expect(try evaluate(["audience": #""\#(same)""#]) == nil)
        }
        #expect(try evaluate(["expires": "\((now - 59) * 1000)"]) == nil)
        #expect(try evaluate(["expires": "\((now - 60) * 1000)"]) == .refused)
        for absurd in ["1e300", "-1", "0", #""soon""#, "99999999999999999999"] {
            #expect(try evaluate(["expires": absurd]) == .unavailable)
        }
    }

    @Test("The issuer is checked if issuers are configured")
    func issuer() throws {
        #expect(try evaluate([:], issuers: ["login.persona.org"]) == nil)
        #expect(try evaluate(["issuer": #""evil.example.com""#], issuers: ["login.persona.org"]) == .refused)
        #expect(try evaluate(["issuer": #""example.com""#], issuers: ["login.persona.org"]) == nil)
        #expect(try evaluate(["issuer": "\"\""]) == .unavailable)
    }

    @Test("An assertion logs its user in, and is sent to the verifier with the audience, as a form")
    func accepted() async throws {
        try await FakeVerifier.run({ [answer = answer()] _ in json(answer) }) { verifier, url in
            let identity = try await withClient {
                try await PersonaVerifier(try configuration(url), client: $0, clock: clock.clock).verify(Secret("CANARY~a+b"))
            }
            #expect(identity.userName.text == "u@example.com")
            #expect(identity.isEmailVerified && identity.mayMatchEmail && !identity.mayRegister)
            let call = try #require(verifier.calls.first)
            #expect(call.method == "POST" && call.target == "/verify")
            #expect(call.body == "assertion=CANARY~a%2Bb&audience=https%3A%2F%2Fapp.example.com")
        }
    }

    @Test("A pair of replications may use an assertion twice, and later it is refused as a replay although the verifier accepts it")
    func replayed() async throws {
        try await FakeVerifier.run({ [answer = answer()] _ in json(answer) }) { _, url in
            try await withClient { client in
                let verifier = PersonaVerifier(try configuration(url), client: client, clock: clock.clock)
                for _ in 0..<2 { _ = try await verifier.verify(Secret("a")) }
                clock.advance(61)
                let error = await refusal { try await verifier.verify(Secret("a")) }
                #expect(error?.code == .refused)
                _ = try await verifier.verify(Secret("b"))
            }
        }
    }

    @Test("A misbehaving verifier is 503 and no login", arguments: Misbehaviour.allCases)
    func misbehaving(_ misbehaviour: Misbehaviour) async throws {
        var limits = patientLimits
        if misbehaviour == .slow { limits.timeout = .milliseconds(300) }
        try await FakeVerifier.run({ [answer = answer()] _ in await misbehaviour.answer(answer) }) { _, url in
            let error = await refusal {
                try await withClient(limits) {
                    try await PersonaVerifier(try configuration(url), client: $0, clock: clock.clock).verify(Secret("CANARY"))
                }
            }
            #expect(error?.code == .unavailable)
            #expect(error.map { "\($0)".contains("CANARY") } == false)
        }
    }

    @Test("The number of stored assertions has a limit")
    func bounded() {
        var seen = AssertionReplayCache()
        let count = AssertionReplayCache.maximumCount + 10
        func digest(_ index: Int) -> [UInt8] { [UInt8(index & 255), UInt8(index >> 8)] }
        let accepted = (0..<count).count { seen.use(digest($0), expires: Int64($0), reuse: 0, now: 0) }
        #expect(accepted == count)
        let isAcceptedAgain = seen.use(digest(count - 1), expires: 1, reuse: 0, now: 1)
        #expect(!isAcceptedAgain)
    }
}
