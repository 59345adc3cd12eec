import Coordination
import Documents
import HTTP
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyClient

@Suite("Authentication of a 1.x replication", .timeLimit(.minutes(5)))
struct AuthenticationTests {
    /// A server that creates sessions for logins and accepts only their cookie.
    private final class Gate: Sendable {
        let logins = Lock<[String]>([])
        let session = Lock(0)

        /// - Parameter lifetime: The number of requests for which a session is valid.
        func guardServer(_ server: RemoteServer, at path: String = "POST _session", lifetime: Int = .max) {
            let uses = Lock(0)
            server.misbehave { entry, _ in
                let name = entry.path.hasPrefix("/_session") ? "\(entry.method) /_session" : entry.name
                if name == path {
                    let number = self.session.withLock { session in
                        session += 1
                        return session
                    }
                    uses.withLock { $0 = 0 }
                    let cookie = "SyncGatewaySession=s\(number); Path=/db; Expires=Sun, 06 Nov 2094 08:49:37 GMT; HttpOnly"
                    return .answer(200, #"{"ok":true,"userCtx":{"name":"u"}}"#, ["Set-Cookie": cookie])
                }
                if name == "GET _session" { return .answer(200, #"{"ok":true,"userCtx":{"name":null}}"#, [:]) }
                let current = self.session.withLock { $0 }
                let count = uses.withLock { uses in
                    uses += 1
                    return uses
                }
                let isKnown = current > 0 && entry.headers[.cookie]?.contains("SyncGatewaySession=s\(current)") == true
                return isKnown && count <= lifetime ? nil : .status(401, "Login required")
            }
        }
    }

    private func fixture(serverName: String = "Couchbase Sync Gateway/2.8.4 EE") async throws -> ReplicationFixture {
        let fixture = try await ReplicationFixture(serverName: serverName)
        try await fixture.there.bridge.push(#"{"_id":"a","_rev":"1-a"}"#, #"{"_id":"b","_rev":"1-a"}"#)
        return fixture
    }

    @Test("Basic logs in once, and the following requests have the session's cookie and no password")
    func basic() async throws {
        let fixture = try await fixture()
        Gate().guardServer(fixture.there)
        let pull = try await fixture.run(.pull) { $0.authenticator = .basicAuthenticator(name: "u", password: "p:w") }
        #expect(pull.lastError == nil)
        #expect(fixture.there.names.count { $0 == "POST _session" } == 1)
        #expect(!fixture.there.entries.contains { $0.headers[.authorization] != nil })
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test("A session that expires in the middle is renewed once for all requests")
    func renewal() async throws {
        let fixture = try await fixture()
        Gate().guardServer(fixture.there, lifetime: 3)
        let pull = try await fixture.run(.pull) { $0.authenticator = .basicAuthenticator(name: "u", password: "p") }
        #expect(pull.lastError == nil)
        #expect(fixture.there.names.count { $0 == "POST _session" } == 2)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test("Credentials in the URL are sent with each request, without a login")
    func credentialsInURL() async throws {
        let fixture = try await fixture()
        fixture.there.misbehave { entry, _ in
            entry.headers[.authorization] == BasicCredentials(user: "u@x", password: "p w").authorization
                ? nil : .status(401, "Login required")
        }
        let pull = try fixture.replication(.pull, url: "http://u%40x:p%20w@127.0.0.1:\(fixture.there.port)/db/")
        pull.start()
        #expect(await pull.waitUntilStopped().lastError == nil)
        #expect(try await fixture.isEqual())
        let wrong = try fixture.replication(.pull, url: "http://u:wrong@127.0.0.1:\(fixture.there.port)/db")
        wrong.continuous = true
        wrong.start()
        #expect(await wrong.waitUntilStopped().lastError?.code == .unauthorized)
        #expect(wrong.status == .stopped)
        await fixture.there.close()
    }

    @Test("A server without sessions gets the password with each request; CouchDB's session belongs to the whole server")
    func otherServers() async throws {
        let none = try await fixture()
        none.there.misbehave { entry, _ in
            if entry.path.contains("_session") { return .status(404, "missing") }
            return entry.headers[.authorization] == nil ? .status(401, "Login required") : nil
        }
        #expect(try await none.run(.pull) { $0.authenticator = .basicAuthenticator(name: "u", password: "p") }.lastError == nil)
        #expect(try await none.isEqual())
        let couch = try await fixture(serverName: "CouchDB/3.3.3 (Erlang OTP/24)")
        Gate().guardServer(couch.there, at: "POST /_session")
        #expect(try await couch.run(.pull) { $0.authenticator = .basicAuthenticator(name: "u", password: "p") }.lastError == nil)
        #expect(try await couch.isEqual())
        #expect(!couch.there.entries.contains { $0.headers[.authorization] != nil })
        await none.there.close()
        await couch.there.close()
    }

    @Test("Facebook and Persona ask the provider for a token at each login, also when the session has expired")
    func tokens() async throws {
        for (path, authenticator) in [
            ("POST _facebook", { ReplicationAuthenticator.facebookAuthenticator(provider: $0) }),
            ("POST _persona", { ReplicationAuthenticator.personaAuthenticator(provider: $0) }),
        ] as [(String, (@escaping @Sendable () async throws -> String) -> ReplicationAuthenticator)] {
            let fixture = try await fixture()
            Gate().guardServer(fixture.there, at: path, lifetime: 3)
            let asked = Lock(0)
            let pull = try await fixture.run(.pull) { pull in
                pull.authenticator = authenticator {
                    asked.withLock { $0 += 1 }
                    return "token"
                }
            }
            #expect(pull.lastError == nil)
            #expect(asked.withLock { $0 } == 2)
            #expect(fixture.there.names.first == "GET _session")
            #expect(try await fixture.isEqual())
            await fixture.there.close()
        }
    }

    @Test("A refused or absent token stops the replication with 401")
    func refusedTokens() async throws {
        struct NoToken: Error {}
        let fixture = try await fixture()
        fixture.there.misbehave { _, _ in .status(401, "No such user") }
        for authenticator in [
            ReplicationAuthenticator.facebookAuthenticator(token: "t"), .personaAuthenticator(assertion: "a"),
            .facebookAuthenticator { throw NoToken() },
        ] {
            let pull = try await fixture.run(.pull) {
                $0.continuous = true
                $0.authenticator = authenticator
            }
            #expect(pull.lastError?.code == .unauthorized && pull.status == .stopped)
        }
        await fixture.there.close()
    }

    @Test("A cookie that the app sets and the app's own headers are sent with every request")
    func cookieByHand() async throws {
        let fixture = try await fixture()
        let pull = try await fixture.run(.pull) { pull in
            pull.setCookie(name: "SyncGatewaySession", value: "904ac010862f37c8", path: "/", expires: 4_000_000_000, httpOnly: true)
            pull.setCookie(name: "old", value: "x", path: "/", expires: 1)
            pull.setCookie(name: "other", value: "x", path: "/elsewhere")
            pull.setCookie(name: "tls", value: "x", secure: true)
            pull.headers = ["X-App": "1"]
        }
        #expect(pull.lastError == nil)
        let name = try #require(HTTPField.Name("X-App"))
        #expect(
            fixture.there.entries.allSatisfy {
                $0.headers[.cookie] == "SyncGatewaySession=904ac010862f37c8" && $0.headers[name] == "1"
                    && $0.headers[.userAgent]?.hasPrefix("CouchbaseLite/1.3") == true
            })
        fixture.there.clearEntries()
        try await fixture.run(.pull) { pull in
            pull.setCookie(name: "SyncGatewaySession", value: "904ac010862f37c8")
            pull.deleteCookie(name: "SyncGatewaySession")
        }
        #expect(!fixture.there.entries.isEmpty && fixture.there.entries.allSatisfy { $0.headers[.cookie] == nil })
        await fixture.there.close()
    }

    @Test("Cookies are sent to their path and removed when they expire")
    func cookieJar() {
        var jar = CookieJar()
        jar.store(setCookie: "a=1; Path=/db; Max-Age=60", now: 100)
        jar.store(setCookie: "b=2; path=/; Secure", now: 100)
        jar.store(setCookie: "c=x=y", now: 100)
        jar.store(setCookie: "=bad", now: 100)
        #expect(jar.header(path: "/db/_changes", isSecure: false, now: 100) == "a=1; c=x=y")
        #expect(jar.header(path: "/db", isSecure: true, now: 100) == "a=1; b=2; c=x=y")
        #expect(jar.header(path: "/dbx", isSecure: false, now: 100) == "c=x=y")
        #expect(jar.header(path: "/db/x", isSecure: false, now: 160) == "c=x=y")
        jar.store(setCookie: "c=; Max-Age=0", now: 161)
        jar.store(setCookie: "a=2; Path=/db; Expires=Thu, 01 Jan 1970 00:00:01 GMT", now: 161)
        #expect(jar.header(path: "/db/x", isSecure: false, now: 161) == nil)
        for number in 0..<200 { jar.store(setCookie: "n\(number)=1", now: 161) }
        #expect(jar.cookies.count <= 50)
    }

    @Test("OAuth 1.0 signs the method, the URL, the query and its own parameters")
    func oauth() {
        let credentials = OAuth1Credentials(consumerKey: "ck", consumerSecret: "cs", token: "t", tokenSecret: "ts")
        let url =
            "https://h/db/_revs_diff?include_entities=true&status=Hello%20Ladies%20%2B%20Gentlemen%2C%20a%20signed%20OAuth%20request%21"
        let header = credentials.authorization(method: "POST", url: url, timestamp: 1_318_622_958, nonce: "n")
        #expect(header.hasPrefix(#"OAuth oauth_consumer_key="ck", oauth_nonce="n", oauth_signature_method="HMAC-SHA1""#))
        #expect(header.hasSuffix(#"oauth_signature="MYxAs1C4l7m%2BYh%2FmiR2opFT5icM%3D""#))
    }

    @Test("Descriptions contain no secrets")
    func secrets() {
        let authenticator = ReplicationAuthenticator.basicAuthenticator(name: "u", password: "hunter2")
        #expect(!"\(authenticator)".contains("hunter2") && !String(reflecting: authenticator).contains("hunter2"))
        do {
            _ = try RemoteURL("ftp://u:hunter2@host/db")
        } catch {
            #expect(!error.message.contains("hunter2") && error.code == .badURL)
        }
    }
}
