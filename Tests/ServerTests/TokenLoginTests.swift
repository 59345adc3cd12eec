import Access
import Authentication
import Compression
import Coordination
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Token logins over HTTP")
struct TokenLoginTests {
    @Test(
        "Each refusal has the name of its status",
        arguments: [
            (LoginError.Code.malformed, 400, "Bad Request"), (.refused, 401, "Unauthorized"), (.unavailable, 503, "Service Unavailable"),
            (.misconfigured, 500, "Internal Server Error"),
        ])
    func names(code: LoginError.Code, status: Int, name: String) {
        let response = LoginError(code, "no").response(sendsChallenge: false)
        #expect(response.status.reasonPhrase == name && response.status.code == status)
    }

    /// A directory with one user, and an issuer of sessions that records their users.
    private final class Accounts: AccountDirectory, SessionIssuer {
        let issued = Lock<[String]>([])

        func hasUser(named name: String) async throws -> Bool { name == "100" }

        func userNames(withEmail email: String) async throws -> [String] { [] }

        func issueSession(for match: AccountMatch, _ info: RequestInfo) async throws -> IssuedSession {
            issued.withLock { $0.append(match.userName) }
            guard let cookie = SetCookie(name: "SyncGatewaySession", value: "s1", path: "/db", isSecure: info.isSecure) else {
                throw LoginError(.misconfigured, "no cookie")
            }
            return IssuedSession(id: "s1", cookie: cookie, body: Array(#"{"ok":true}"#.utf8))
        }
    }

    private struct Answer {
        let status: Int
        let headers: HTTPFields
        let issued: [String]
    }

    /// A Graph, a Persona verifier and a provider in one; they accept tokens that begin with `good`.
    @Sendable private static func verifier(_ request: Request, _ info: RequestInfo) async -> Response {
        let body = (try? await request.bytes(upTo: 10_000)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let host = "http://\(request.head.authority ?? "")"
        switch request.head.path?.split(separator: "?").first {
        case "/app": return json(#"{"id":"app-1"}"#)
        case "/me":
            return request.headers[.authorization]?.hasPrefix("Bearer good") == true
                ? json(#"{"id":"100"}"#) : json(#"{"error":{"code":190}}"#, 400)
        case "/verify":
            guard body.hasPrefix("assertion=good") else { return json(#"{"status":"failure"}"#) }
            return json(#"{"status":"okay","email":"p@example.com","audience":"https://app","expires":9999999999000,"issuer":"i"}"#)
        case "/.well-known/openid-configuration":
            return json(
                #"{"issuer":"\#(host)","jwks_uri":"\#(host)/keys","authorization_endpoint":"\#(host)/authorize","token_endpoint":"\#(host)/token"}"#
            )
        case "/token": return json(#"{"error":"invalid_grant"}"#, 400)
        default: return json("{}", 404)
        }
    }

    private static func json(_ text: String, _ code: Int = 200) -> Response {
        Response(status: .init(code: code), body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func serve(_ requests: [(String, String, HTTPFields, String)], bodies: [[UInt8]] = [], isDown: Bool = false) async throws
        -> [Answer]
    {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(port: 0, serverName: "Verifier"), logger: logger, handler: Self.verifier)
        async let running: Void = server.run()
        let port = try await server.port()
        if isDown { try await server.shutdown() }
        var configuration = AuthenticatorsConfiguration()
        let endpoint = try VerificationEndpoint(configured: "http://127.0.0.1:\(port)")
        configuration.facebook = FacebookConfiguration(apps: .only(["app-1"]), graph: endpoint)
        configuration.persona = PersonaConfiguration(
            verifier: try VerificationEndpoint(configured: "http://127.0.0.1:\(port)/verify"), audience: "https://app")
        configuration.persona?.registers = true
        configuration.oidc = [
            OpenIDConfiguration(issuer: endpoint.url, discovery: try OpenIDConfiguration.discovery(of: endpoint.url), clientIDs: ["app"])
        ]
        configuration.oidc[0].name = "idp"
        let authenticators = Authenticators(configuration)
        let accounts = Accounts()
        let logins = TokenLogins(
            database: "db", authenticators: authenticators, directory: accounts, sessions: accounts, clock: .system,
            sendsChallenge: true, logger: logger)
        var answers: [Answer] = []
        for (index, (method, path, headers, body)) in requests.enumerated() {
            let bytes = bodies.indices.contains(index) ? bodies[index] : Array(body.utf8)
            let head = HTTPRequest(
                method: .init(method) ?? .get, scheme: "http", authority: "sync.example.com", path: path, headerFields: headers)
            let target = try RequestTarget(path)
            guard let endpoint = target.segments.last.flatMap({ TokenEndpoint(rawValue: $0.value) }) else { continue }
            let response = await logins.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes))), at: endpoint, query: target.query,
                info: RequestInfo())
            answers.append(Answer(status: response.status.code, headers: response.headers, issued: accounts.issued.withLock { $0 }))
        }
        await authenticators.close()
        if !isDown { try await server.shutdown() }
        try await running
        return answers
    }

    private func post(_ name: String, _ body: String, _ headers: HTTPFields = [:]) -> (String, String, HTTPFields, String) {
        ("POST", "/db/\(name)", headers, body)
    }

    private func get(_ path: String, _ headers: HTTPFields = [:]) -> (String, String, HTTPFields, String) {
        ("GET", "/db/\(path)", headers, "")
    }

    @Test("A valid token gives a session, in every form that clients send")
    func accepted() async throws {
        let answers = try await serve([
            post("_facebook", #"{"access_token":"good","email":"x","remote_url":"y"}"#), post("_persona", #"{"assertion":"good-1"}"#),
            post("_persona", #""good-2""#), post("_persona", #"{"access_token":"good-3"}"#),
            post("_facebook", #"{"access_token":"good"}"#, [.origin: "https://sync.example.com"]),
        ])
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200])
        #expect(answers.allSatisfy { $0.headers[.setCookie] == "SyncGatewaySession=s1; Path=/db; HttpOnly" })
        #expect(answers.last?.issued == ["100", "p@example.com", "p@example.com", "p@example.com", "100"])
    }

    @Test("A compressed body is read, as Couchbase Lite for Java sends it from 100 bytes on; a body that inflates too far is refused")
    func compressed() async throws {
        func gzip(_ text: String) throws -> [UInt8] { try Deflater().write(Array(text.utf8), flush: .finish) }
        let token = String(repeating: "d", count: 200)
        let headers: HTTPFields = [.contentEncoding: "gzip"]
        let answers = try await serve(
            [post("_facebook", "", headers), post("_facebook", "", headers)],
            bodies: [
                try gzip(#"{"access_token":"good\#(token)"}"#), try gzip(#"{"access_token":"\#(String(repeating: "a", count: 70_000))"}"#),
            ])
        #expect(answers.map(\.status) == [200, 413])
    }

    @Test("An invalid login gives no session, and its status shows the reason")
    func refused() async throws {
        let answers = try await serve([
            post("_facebook", #"{"access_token":"bad"}"#), post("_facebook", #"{"access_token":""}"#), post("_facebook", "{}"),
            post("_facebook", "x"),
            post("_facebook", #"{"access_token":"good","access_token":"bad"}"#), post("_facebook", #"{"access_token":7}"#),
            post("_facebook", #""good""#), post("_facebook", String(repeating: "a", count: 70_000)),
            post("_facebook", #"{"access_token":"good"}"#, [.origin: "https://evil.example.com"]),
            post("_persona", #"{"assertion":"bad"}"#),
            get("_oidc_callback"), get("_oidc_callback?error=access_denied"), get("_oidc_refresh"),
            get("_oidc?provider=other"),
            get("_oidc_refresh?refresh_token=r"), get("_oidc_callback?code=c&state=s", [.cookie: "sg-oidc-state=t"]),
        ])
        #expect(answers.map(\.status) == [401, 400, 400, 400, 400, 400, 400, 413, 400, 401, 400, 401, 400, 400, 401, 400])
        #expect(answers.last?.issued == [])
        #expect(answers.allSatisfy { ($0.status == 401) == ($0.headers[.wwwAuthenticate] != nil) })
    }

    @Test("An endpoint exists if its authenticator is configured")
    func configured() async throws {
        var configuration = AuthenticatorsConfiguration()
        configuration.facebook = FacebookConfiguration(
            apps: .only(["app-1"]), graph: try VerificationEndpoint(configured: "http://127.0.0.1:1"))
        let (authenticators, accounts) = (Authenticators(configuration), Accounts())
        let logins = TokenLogins(
            database: "db", authenticators: authenticators, directory: accounts, sessions: accounts, clock: .system,
            sendsChallenge: true, logger: Logger(label: "test"))
        #expect(TokenEndpoint.allCases.filter { logins.isConfigured($0) } == [.facebook])
        await authenticators.close()
    }

    @Test("An unreachable verifier gets 503")
    func down() async throws {
        let answers = try await serve(
            [post("_facebook", #"{"access_token":"good"}"#), post("_persona", #"{"assertion":"good"}"#), get("_oidc")], isDown: true)
        #expect(answers.map(\.status) == [503, 503, 503])
        #expect(answers.last?.issued == [])
    }

    @Test(
        "The redirection URL of the default provider has no parameter, for named and unnamed requests",
        arguments: ["", "?provider=", "?provider=idp"])
    func defaultProvider(query: String) async throws {
        let answer = try #require(try await serve([get("_oidc\(query)")]).first)
        let location = try #require(answer.headers[.location])
        #expect(location.contains("redirect_uri=http%3A%2F%2Fsync.example.com%2Fdb%2F_oidc_callback&"), "\(location)")
    }

    @Test("A login at a provider begins with a redirect or a challenge, and a cookie")
    func begins() async throws {
        let answers = try await serve([get("_oidc"), get("_oidc_challenge?offline=true")])
        let (redirect, challenge) = (answers[0], answers[1])
        #expect(redirect.status == 302 && redirect.headers[.location]?.contains("/authorize?response_type=code") == true)
        #expect(challenge.status == 401 && challenge.headers[.wwwAuthenticate]?.hasPrefix(#"OIDC login="http://127.0.0.1"#) == true)
        #expect(challenge.headers[.wwwAuthenticate]?.contains("redirect_uri=http%3A%2F%2Fsync.example.com%2Fdb%2F_oidc_callback") == true)
        for answer in answers {
            let cookie = try #require(answer.headers[.setCookie])
            #expect(
                cookie.hasPrefix("sg-oidc-state=") && cookie.contains("; Path=/db;") && cookie.contains("HttpOnly")
                    && cookie.contains("SameSite=Lax"))
        }
    }

    @Test("Every endpoint has one method")
    func methods() {
        #expect(
            TokenEndpoint.allCases.map(\.rawValue) == [
                "_facebook", "_persona", "_google", "_oidc", "_oidc_challenge", "_oidc_callback", "_oidc_refresh",
            ])
        #expect(TokenEndpoint.allCases.filter { $0.method == .post } == [.facebook, .persona, .google])
    }
}
