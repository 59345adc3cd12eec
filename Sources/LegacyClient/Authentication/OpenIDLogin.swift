import Documents
import HTTP
import NIOHTTP1

/// Logs in by OpenID Connect as Couchbase Lite 1.4 does: by the refresh token, or else the user has to (docs/protocol/legacy-1x.md#openid-connect).
actor OpenIDLogin {
    private static let callbackPath = "_oidc_callback"

    private var tokens: OpenIDConnectTokens
    private let keep: @Sendable (OpenIDConnectTokens) async -> Void
    private let ask: @Sendable (_ loginURL: String, _ callbackURL: String) async throws -> String?

    init(
        tokens: OpenIDConnectTokens?, keep: @escaping @Sendable (OpenIDConnectTokens) async -> Void,
        logIn: @escaping @Sendable (_ loginURL: String, _ callbackURL: String) async throws -> String?
    ) {
        self.tokens = tokens ?? OpenIDConnectTokens()
        self.keep = keep
        ask = logIn
    }

    /// - Throws: ``ReplicationError``, with code `unauthorized` if nobody logs in.
    func logIn(on remote: RemoteDatabase) async throws {
        // What was refused is not sent along.
        remote.sendAlways(authorization: nil)
        if let answer = try await refreshed(on: remote) { return await take(answer, on: remote) }
        let login = try await challenge(from: remote)
        let callback = "\(remote.url.base)/\(Self.callbackPath)"
        let reached: String?
        do {
            reached = try await ask(login, callback)
        } catch {
            throw ReplicationError(.unauthorized, "The login at the OpenID Connect provider failed", cause: error)
        }
        guard let reached else { throw ReplicationError(.unauthorized, "The user has not logged in at the OpenID Connect provider") }
        // The code goes to this server alone, whatever the page was led to.
        guard reached.hasPrefix(callback + "?") else {
            throw ReplicationError(
                .unauthorized, "The OpenID Connect login did not end at \(callback); look at the provider's redirection URL")
        }
        let request = RemoteRequest(Self.callbackPath + reached.dropFirst(callback.count))
        await take(try JSONValue(try await remote.json(request, authenticates: false)), on: remote)
    }

    /// The answer to the refresh token; `nil` if there is none that the server takes.
    private func refreshed(on remote: RemoteDatabase) async throws -> JSONValue? {
        guard let token = tokens.refreshToken else { return nil }
        var request = RemoteRequest("_oidc_refresh?refresh_token=\(PercentEncoding.encodeQueryComponent(token))")
        request.isRetried = false
        do {
            return try JSONValue(try await remote.json(request, authenticates: false))
        } catch let error as ReplicationError where error.isRefusal || error.code.rawValue == 500 {
            // Sync Gateway says 500 when the provider refuses the token.
            return nil
        }
    }

    /// Where the user logs in.
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

    private func take(_ answer: JSONValue, on remote: RemoteDatabase) async {
        tokens.idToken = answer["id_token"]?.string ?? tokens.idToken
        tokens.refreshToken = answer["refresh_token"]?.string ?? tokens.refreshToken
        // A server without sessions takes the token with each request.
        if answer["session_id"]?.string == nil, let token = tokens.idToken { remote.sendAlways(authorization: "Bearer \(token)") }
        await keep(tokens)
    }
}

/// What an OpenID Connect login leaves behind, by which the next one needs no user. Secrets: nobody else may read them.
public struct OpenIDConnectTokens: Sendable, Hashable {
    /// Good for the provider's time, minutes to hours.
    public var idToken: String?

    /// Good until the provider or the user takes it back; `nil` if the provider gave none.
    public var refreshToken: String?

    public init(idToken: String? = nil, refreshToken: String? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
    }
}

extension OpenIDConnectTokens: CustomStringConvertible, CustomReflectable {
    /// Shows no secret, so that no log can.
    public var description: String { "OpenIDConnectTokens" }

    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
