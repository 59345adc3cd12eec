import Access
import Authentication
import BridgeConfiguration
import Coordination
import Documents
import Foundation
import Gateway
import HTTP
import HummingbirdCore
import LegacyClient
import LocalStore
import Server
import Testing

@Suite("The 1.x replicator logs in by OpenID Connect at a running bridge", .serialized)
struct OpenIDReplicationTests {
    /// The app's stored data, and the number of logins of its user.
    private final class Application: Sendable {
        let tokens = Lock<OpenIDConnectTokens?>(nil)
        let logins = Lock(0)
    }

    private static func authenticator(_ application: Application, _ issuer: FakeIssuer, _ url: String) -> ReplicationAuthenticator {
        .openIDConnectAuthenticator(tokens: application.tokens.withLock { $0 }) { tokens in
            application.tokens.withLock { $0 = tokens }
        } logIn: { login, callback in
            application.logins.withLock { $0 += 1 }
            let query = Dictionary(
                (URLComponents(string: login)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
            guard login.hasPrefix("\(url)/authorize?"), let nonce = query["nonce"], let state = query["state"] else { return nil }
            let token = try issuer.token(url, ["nonce": "\"\(nonce)\""])
            issuer.setTokens("{\"id_token\":\"\(token)\",\"refresh_token\":\"r1\",\"expires_in\":600}")
            return "\(callback)?code=c&state=\(state)"
        }
    }

    @Test("The user logs in once; at the next start the refresh token is used")
    func logins() async throws {
        let issuer = FakeIssuer()
        try await FakeServer.run(issuer.answer) { (_, url) async throws in
            try await RunningBridge.run { (configuration: inout DatabaseConfiguration) in
                configuration.guest = GuestConfiguration()
            } serving: { settings in
                var oidc = OpenIDConfiguration(issuer: url, discovery: try OpenIDConfiguration.discovery(of: url), clientIDs: ["app"])
                oidc.registers = true
                oidc.naming = .bareSubject
                oidc.clientSecret = Secret("s")
                settings.authenticators.oidc = [oidc]
            } _: { (bridge) async throws in
                let application = Application()
                let folder = try TemporaryFolder()
                let local = try await LocalDatabase(path: "\(folder.path)/local.dualgauge")
                for start in 1...2 {
                    let pull = try local.createPullReplication("http://127.0.0.1:\(bridge.port)/shop")
                    pull.authenticator = Self.authenticator(application, issuer, url)
                    pull.start()
                    let change = await pull.waitUntilStopped()
                    #expect(change.failure == nil && change.lastError == nil, "start \(start)")
                    #expect(application.logins.withLock { $0 } == 1)
                    issuer.setTokens("{\"id_token\":\"\(try issuer.token(url))\",\"expires_in\":600}")
                }
                #expect(application.tokens.withLock { $0?.refreshToken } == "r1")
                try await local.close()
            }
        }
    }
}
