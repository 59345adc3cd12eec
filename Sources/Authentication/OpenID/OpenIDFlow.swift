package import Access
import Crypto
import Documents

/// The login at a provider with the user's browser (OpenID Connect Core, 3.1: the authorization code flow), as Sync Gateway's `_oidc` endpoints offer
/// it (docs/protocol/legacy-1x.md#openid-connect).
package struct OpenIDFlow: Sendable {
    let verifier: OpenIDVerifier
    let client: VerificationClient

    private var configuration: OpenIDConfiguration { verifier.configuration }

    /// Whether ``finish(code:state:cookie:callback:)`` needs the cookie.
    package var checksState: Bool { configuration.checksState }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - isOffline: Whether to request a refresh token, to which the user has to consent.
    ///   - callback: The URL to which the provider redirects the browser, unless the configuration sets it.
    package func begin(isOffline: Bool, callback: String) async throws(LoginError) -> OpenIDChallenge {
        guard let endpoint = try await verifier.provider.metadata().authorization else {
            throw LoginError(.unavailable, "The metadata of \(configuration.issuer) has no `authorization_endpoint`")
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
    ///   - code: The code from the browser's redirect.
    ///   - state: The state from the browser's redirect.
    ///   - cookie: The client's cookie from the start of the login.
    ///   - callback: The same URL as at the start.
    package func finish(code: Secret, state: String?, cookie: String?, callback: String) async throws(LoginError) -> OpenIDTokens {
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
    package func refresh(_ token: Secret) async throws(LoginError) -> OpenIDTokens {
        guard TokenText.isPlausible(token) else { throw LoginError(.malformed, "Refresh token must be present for oidc refresh") }
        return try await exchange([("grant_type", "refresh_token"), ("refresh_token", token.revealed)], nonce: nil)
    }

    private var clientID: String { configuration.clientIDs.first ?? "" }

    private func exchange(_ items: [(name: String, value: String)], nonce: String?) async throws(LoginError) -> OpenIDTokens {
        let metadata = try await verifier.provider.metadata()
        guard let endpoint = metadata.token else {
            throw LoginError(.unavailable, "The metadata of \(configuration.issuer) has no `token_endpoint`")
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

    /// The secret is sent in a header, unless the provider accepts it in the form only (RFC 6749, 2.3.1).
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
        // A code is valid for one exchange: a second caller with the same code must not share the reply.
        request.isShared = false
        return request
    }
}

/// The start of a login at a provider.
package struct OpenIDChallenge: Hashable, Sendable {
    /// The URL to which the user's browser is redirected.
    package let loginURL: String

    /// The cookie value that the client has to return; `nil` if the state is not checked.
    package let state: String?
}

/// A provider's tokens for a code or a refresh token, and their verified identity.
package struct OpenIDTokens: Sendable {
    package let identity: VerifiedIdentity
    package let idToken: Secret
    package let refreshToken: Secret?

    /// The provider's access token, if the configuration passes it to clients.
    package let accessToken: Secret?
    package let tokenType: String?

    /// The lifetime of the access token, in seconds.
    package let expiresIn: Int?
}

/// Binds the end of a login to its start: the browser that returns with a code must be the one that was redirected (RFC 6749, 10.12), and the token
/// must be the requested one.
struct LoginState {
    /// The value in the provider's URL and in the cookie.
    let text: String

    /// Creates a state of 128 random bits.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    init(_ text: String) {
        self.text = text
    }

    /// The required nonce of the token. It is derived from the state, so nothing is stored between the two requests.
    var nonce: String { Base64URL.encode(Array(SHA256.hash(data: Array("nonce \(text)".utf8)))) }
}
