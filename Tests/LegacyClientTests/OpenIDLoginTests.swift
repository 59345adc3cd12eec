import Coordination
import HTTP
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("OpenID Connect logins of the 1.x replicator", .timeLimit(.minutes(5)))
struct OpenIDLoginTests {
    /// A server whose users log in at a provider.
    private final class Provider: Sendable {
        let refreshToken = Lock<String?>("r1")
        let logins = Lock<[String]>([])
        let number = Lock(0)

        func guardServer(_ server: RemoteServer, sessions: Bool = true, lifetime: Int = .max) {
            let uses = Lock(0)
            server.misbehave { entry, _ in
                let path = entry.path.split(separator: "/").last.map(String.init) ?? ""
                if path.hasPrefix("_session") { return .answer(200, #"{"ok":true,"userCtx":{"name":null}}"#, [:]) }
                if path.hasPrefix("_oidc_challenge") {
                    #expect(path.hasSuffix("?offline=true"))
                    let state = "sg-oidc-state=s; Path=/db; Max-Age=300"
                    return .answer(
                        401, #"{"error":"Unauthorized","reason":"Login required"}"#,
                        ["WWW-Authenticate": #"OIDC login="https://op.example.com/authorize?client_id=app&state=s""#, "Set-Cookie": state])
                }
                if path.hasPrefix("_oidc_callback") {
                    guard path.hasSuffix("?code=c&state=s"), entry.headers[.cookie]?.contains("sg-oidc-state=s") == true else {
                        return .status(400, "no login was begun")
                    }
                    self.logins.withLock { $0.append("user") }
                } else if path.hasPrefix("_oidc_refresh") {
                    guard let token = self.refreshToken.withLock({ $0 }), path.hasSuffix("=\(token)") else {
                        return .status(500, "Unable to refresh token.")
                    }
                    self.logins.withLock { $0.append("refresh") }
                } else {
                    let current = self.number.withLock { $0 }
                    let count = uses.withLock { uses in
                        uses += 1
                        return uses
                    }
                    let given = sessions ? entry.headers[.cookie] ?? "" : entry.headers[.authorization] ?? ""
                    let isKnown = given.contains(sessions ? "SyncGatewaySession=s\(current)" : "Bearer t\(current)")
                    return isKnown && count <= lifetime ? nil : .status(401, "Login required")
                }
                let current = self.number.withLock { number in
                    number += 1
                    return number
                }
                uses.withLock { $0 = 0 }
                let session = sessions ? #""session_id":"s\#(current)","# : ""
                let refresh = path.hasPrefix("_oidc_callback") ? #""refresh_token":"r1","# : ""
                let headers = sessions ? ["Set-Cookie": "SyncGatewaySession=s\(current); Path=/db; HttpOnly"] : [:]
                return .answer(200, "{\(session)\(refresh)\"id_token\":\"t\(current)\",\"name\":\"u\"}", headers)
            }
        }
    }

    private func fixture() async throws -> ReplicationFixture {
        let fixture = try await ReplicationFixture(serverName: "Couchbase Sync Gateway/2.8.4 EE")
        try await fixture.there.bridge.push(#"{"_id":"a","_rev":"1-a"}"#, #"{"_id":"b","_rev":"1-a"}"#)
        return fixture
    }

    @Test("The user logs in once; the refresh token logs in at the next start and when the session expires", arguments: [true, false])
    func logins(sessions: Bool) async throws {
        let fixture = try await fixture()
        let provider = Provider()
        provider.guardServer(fixture.there, sessions: sessions, lifetime: 2)
        let kept = Lock<OpenIDConnectTokens?>(nil)
        let asked = Lock<[String]>([])
        for _ in 0..<2 {
            let pull = try await fixture.run(.pull) {
                $0.authenticator = .openIDConnectAuthenticator(tokens: kept.withLock { $0 }) { tokens in
                    kept.withLock { $0 = tokens }
                } logIn: { login, callback in
                    asked.withLock { $0.append(login) }
                    return callback + "?code=c&state=s"
                }
            }
            #expect(pull.lastError == nil)
        }
        #expect(asked.withLock { $0 } == ["https://op.example.com/authorize?client_id=app&state=s"])
        #expect(kept.withLock { $0?.refreshToken } == "r1")
        let logins = provider.logins.withLock { $0 }
        #expect(logins.first == "user" && logins.count > 2 && logins.dropFirst().allSatisfy { $0 == "refresh" })
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test("A refused refresh token asks the user to log in; no login, or a redirect to another page, stops the replication with 401")
    func refusals() async throws {
        struct Failure: Error {}
        let fixture = try await fixture()
        let provider = Provider()
        provider.refreshToken.withLock { $0 = nil }
        provider.guardServer(fixture.there)
        let ends: [@Sendable (String) throws -> String?] = [
            { _ in nil }, { _ in throw Failure() }, { _ in "https://evil.example.com/db/_oidc_callback?code=c" }, { _ in "" },
        ]
        for end in ends {
            let pull = try await fixture.run(.pull) {
                $0.continuous = true
                $0.authenticator = .openIDConnectAuthenticator(tokens: OpenIDConnectTokens(refreshToken: "old")) { try end($1) }
            }
            #expect(pull.failure?.code == .unauthorized && pull.status == .stopped)
        }
        #expect(provider.logins.withLock { $0 } == [])
        let pull = try await fixture.run(.pull) {
            $0.authenticator = .openIDConnectAuthenticator(tokens: OpenIDConnectTokens(refreshToken: "old")) { "\($1)?code=c&state=s" }
        }
        #expect(pull.lastError == nil && pull.failure == nil)
        #expect(provider.logins.withLock { $0 } == ["user"])
        await fixture.there.close()
    }

    @Test("A server without OpenID Connect is recognised, and descriptions contain no tokens")
    func noProvider() async throws {
        let fixture = try await fixture()
        fixture.there.misbehave { _, _ in .status(401, "Login required") }
        let pull = try await fixture.run(.pull) { $0.authenticator = .openIDConnectAuthenticator { _, _ in "" } }
        #expect(pull.failure?.message.contains("names no OpenID Connect provider") == true)
        #expect("\(OpenIDConnectTokens(idToken: "secret", refreshToken: "secret"))" == "OpenIDConnectTokens")
        await fixture.there.close()
    }
}
