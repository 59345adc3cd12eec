import Crypto
import Documents

/// The login at a provider with the user's browser (OpenID Connect Core, 3.1: the authorization code flow), as Sync Gateway's `_oidc` endpoints offer
/// it (docs/protocol/legacy-1x.md#openid-connect).
public struct OpenIDFlow: Sendable {
    let verifier: OpenIDVerifier
    let client: VerificationClient

    private var configuration: OpenIDConfiguration { verifier.configuration }

    /// Whether ``finish(code:state:cookie:callback:)`` needs the cookie.
    public var checksState: Bool { configuration.checksState }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - isOffline: whether a refresh token is wanted, which the user has to agree to.
    ///   - callback: where the provider sends the browser back to, unless the configuration says.
    public func begin(isOffline: Bool, callback: String) async throws(LoginError) -> OpenIDChallenge {
        guard let endpoint = try await verifier.provider.metadata().authorization else {
            throw LoginError(.unavailable, "\(configuration.issuer) does not say where users log in")
        }
        let state = configuration.checksState ? LoginState() : nil
        var query: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", configuration.callbackURL ?? callback),
            ("scope", configuration.scopes.joined(separator: " ")),
        ]
        if let state { query += [("state", state.text), ("nonce", state.nonce)] }
        if isOffline { query += [("access_type", "offline"), ("prompt", "consent")] }
        return OpenIDChallenge(loginURL: endpoint.appending(query: query).url, state: state?.text)
    }

    /// Ends a login: exchanges the code for tokens and checks them.
    ///
    /// - Parameters:
    ///   - code: what the browser came back with.
    ///   - state: the same.
    ///   - cookie: what the client was given when the login began.
    ///   - callback: as when it began.
    public func finish(code: Secret, state: String?, cookie: String?, callback: String) async throws(LoginError) -> OpenIDTokens {
        guard TokenText.isPlausible(code) else { throw LoginError(.malformed, "Code must be present on oidc callback") }
        var nonce: String?
        if configuration.checksState {
            guard let cookie, !cookie.isEmpty else {
                throw LoginError(
                    .malformed,
                    "OIDC Auth Failure: No state cookie found, client needs to support cookies when OIDC callback state is enabled")
            }
            guard let state, ConstantTime.equal(Array(state.utf8), Array(cookie.utf8)) else {
                throw LoginError(.malformed, "OIDC Auth Failure: State mismatch")
            }
            nonce = LoginState(state).nonce
        }
        return try await exchange(
            [("grant_type", "authorization_code"), ("code", code.revealed), ("redirect_uri", configuration.callbackURL ?? callback)],
            nonce: nonce)
    }

    /// Exchanges a refresh token for a new ID token.
    public func refresh(_ token: Secret) async throws(LoginError) -> OpenIDTokens {
        guard TokenText.isPlausible(token) else { throw LoginError(.malformed, "Refresh token must be present for oidc refresh") }
        return try await exchange([("grant_type", "refresh_token"), ("refresh_token", token.revealed)], nonce: nil)
    }

    private var clientID: String { configuration.clientIDs.first ?? "" }

    private func exchange(_ items: [(name: String, value: String)], nonce: String?) async throws(LoginError) -> OpenIDTokens {
        let metadata = try await verifier.provider.metadata()
        guard let endpoint = metadata.token else {
            throw LoginError(.unavailable, "\(configuration.issuer) does not say where codes are exchanged")
        }
        let response = try await client.send(request(to: endpoint, items, metadata))
        guard !response.isFailure else { throw LoginError(.unavailable, "\(endpoint) status \(response.status)") }
        guard response.status < 300 else {
            throw LoginError(.refused, "The OpenID Connect provider refused the exchange, status \(response.status)")
        }
        let answer = try response.object(of: "\(endpoint)")
        guard let text = answer["id_token"]?.string else { throw LoginError(.refused, "The OpenID Connect provider gave no ID token") }
        let token: IDToken
        do {
            token = try IDToken(Secret(text))
        } catch {
            throw LoginError(.refused, "The OpenID Connect provider gave an ID token that cannot be read", cause: error)
        }
        let identity = try await verifier.verify(token, nonce: nonce)
        let access = configuration.includesAccessToken ? answer["access_token"]?.string.map(Secret.init) : nil
        return OpenIDTokens(
            identity: identity, idToken: Secret(text), refreshToken: answer["refresh_token"]?.string.map(Secret.init), accessToken: access,
            tokenType: access == nil ? nil : answer["token_type"]?.string, expiresIn: access == nil ? nil : answer["expires_in"]?.int)
    }

    /// The secret goes into a header unless the provider takes it in the form only (RFC 6749, 2.3.1).
    private func request(
        to endpoint: VerificationEndpoint, _ items: [(name: String, value: String)], _ metadata: ProviderMetadata
    ) -> VerificationRequest {
        var form = items
        var headers: [VerificationRequest.Header] = []
        if let secret = configuration.clientSecret, !metadata.wantsSecretInForm {
            let pair = "\(FormEncoding.encode(clientID)):\(FormEncoding.encode(secret.revealed))"
            headers.append(.init(name: "Authorization", value: Secret("Basic \(Base64.encode(Array(pair.utf8)))")))
        } else {
            form.append((name: "client_id", value: clientID))
            if let secret = configuration.clientSecret { form.append((name: "client_secret", value: secret.revealed)) }
        }
        var request = VerificationRequest.post(endpoint, form)
        request.headers = headers
        // A code is good for one exchange; whoever comes second with it is not the one who asked for it.
        request.isShared = false
        return request
    }
}

/// How a login at a provider begins.
public struct OpenIDChallenge: Hashable, Sendable {
    /// Where the user's browser has to go.
    public let loginURL: String

    /// What the client has to come back with, in a cookie; `nil` where that is not checked.
    public let state: String?
}

/// What a provider gave for a code or a refresh token, and who it is for.
public struct OpenIDTokens: Sendable {
    public let identity: VerifiedIdentity
    public let idToken: Secret
    public let refreshToken: Secret?

    /// The provider's own, if the configuration says that clients get it.
    public let accessToken: Secret?
    public let tokenType: String?

    /// How long the access token lasts, in seconds.
    public let expiresIn: Int?
}

/// Ties the end of a login to its beginning: the browser that comes back with a code has to be the one that was sent away (RFC 6749, 10.12), and the token
/// has to be the one that was asked for.
struct LoginState {
    /// Goes into the provider's URL and into a cookie.
    let text: String

    /// A new one, 128 random bits.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    init(_ text: String) {
        self.text = text
    }

    /// What the token has to carry. Follows from the state, so nothing has to be remembered between the two requests.
    var nonce: String { Base64URL.encode(Array(SHA256.hash(data: Array("nonce \(text)".utf8)))) }
}
