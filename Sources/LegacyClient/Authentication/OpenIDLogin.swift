import Documents
import HTTP
import NIOHTTP1

/// Logs in by OpenID Connect as Couchbase Lite 1.4 does: with the refresh token if there is one, otherwise through the user
/// (docs/protocol/legacy-1x.md#openid-connect).
actor OpenIDLogin {
    private static let callbackPath = "_oidc_callback"

    private var tokens: OpenIDConnectTokens
    private let persist: @Sendable (OpenIDConnectTokens) async -> Void
    private let askUser: @Sendable (_ loginURL: String, _ callbackURL: String) async throws -> String?

    init(
        tokens: OpenIDConnectTokens?, keep: @escaping @Sendable (OpenIDConnectTokens) async -> Void,
        logIn: @escaping @Sendable (_ loginURL: String, _ callbackURL: String) async throws -> String?
    ) {
        self.tokens = tokens ?? OpenIDConnectTokens()
        persist = keep
        askUser = logIn
    }

    /// - Throws: ``ReplicationError``, with code `unauthorized` if the user does not log in.
    func logIn(on remote: RemoteDatabase) async throws {
        // The login requests must not carry the token that the server has refused.
        remote.sendAlways(authorization: nil)
        if let answer = try await refreshed(on: remote) { return await storeTokens(answer, on: remote) }
        let login = try await challenge(from: remote)
        let callback = "\(remote.url.base)/\(Self.callbackPath)"
        let reached: String?
        do {
            reached = try await askUser(login, callback)
        } catch {
            throw ReplicationError(.unauthorized, "The login at the OpenID Connect provider failed", cause: error)
        }
        guard let reached else { throw ReplicationError(.unauthorized, "The user has not logged in at the OpenID Connect provider") }
        // Send the authorization code to this server only, whatever URL the page was redirected to.
        guard reached.hasPrefix(callback + "?") else {
            throw ReplicationError(
                .unauthorized, "The OpenID Connect login did not end at \(callback); look at the provider's redirection URL")
        }
        let request = RemoteRequest(Self.callbackPath + reached.dropFirst(callback.count))
        await storeTokens(try JSONValue(try await remote.json(request, authenticates: false)), on: remote)
    }

    /// The server's answer to the refresh token; `nil` if there is no refresh token or the server refuses it.
    private func refreshed(on remote: RemoteDatabase) async throws -> JSONValue? {
        guard let token = tokens.refreshToken else { return nil }
        var request = RemoteRequest("_oidc_refresh?refresh_token=\(PercentEncoding.encodeQueryComponent(token))")
        request.isRetried = false
        do {
            return try JSONValue(try await remote.json(request, authenticates: false))
        } catch let error as ReplicationError where error.isRefusal || error.code.rawValue == 500 {
            // Sync Gateway answers 500 when the provider refuses the token.
            return nil
        }
    }

    /// The URL of the provider's login page.
    private func challenge(from remote: RemoteDatabase) async throws -> String {
        var request = RemoteRequest("_oidc_challenge?offline=true")
        request.takesChallenges = true
        let answer = try await remote.answer(request)
        for value in answer.headers[canonicalForm: "WWW-Authenticate"] {
            let parts = value.split(separator: "login=\"", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased().hasPrefix("oidc"), let end = parts[1].firstIndex(of: "\"") else { continue }
            return String(parts[1][..<end])
        }
        throw ReplicationError(
            .unauthorized, "\(answer.url) names no OpenID Connect provider: configure one at the server, or choose another authenticator")
    }

    private func storeTokens(_ answer: JSONValue, on remote: RemoteDatabase) async {
        tokens.idToken = answer["id_token"]?.string ?? tokens.idToken
        tokens.refreshToken = answer["refresh_token"]?.string ?? tokens.refreshToken
        // A server without sessions expects the ID token with each request.
        if answer["session_id"]?.string == nil, let token = tokens.idToken { remote.sendAlways(authorization: "Bearer \(token)") }
        await persist(tokens)
    }
}

/// The tokens of an OpenID Connect login, with which the next login needs no user. Both are secrets and must be stored safely.
public struct OpenIDConnectTokens: Sendable, Hashable {
    /// Valid as long as the provider defines: minutes to hours.
    public var idToken: String?

    /// Valid until the provider or the user revokes it; `nil` if the provider issued none.
    public var refreshToken: String?

    /// Creates the tokens that an app has stored after an earlier login.
    public init(idToken: String? = nil, refreshToken: String? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
    }
}

extension OpenIDConnectTokens: CustomStringConvertible, CustomReflectable {
    /// Hides the tokens, so that logs do not contain them.
    public var description: String { "OpenIDConnectTokens" }

    /// Hides the tokens, so that dumps do not contain them.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
