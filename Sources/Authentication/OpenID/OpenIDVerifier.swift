package import Access
import Documents

/// Checks ID tokens of one provider: signature, issuer, audience, times.
package struct OpenIDVerifier: TokenVerifier {
    let configuration: OpenIDConfiguration
    let provider: OpenIDProvider
    private let clock: AccessClock
    package let authenticator: AuthenticatorKind

    package init(
        _ configuration: OpenIDConfiguration, client: VerificationClient, clock: AccessClock = .system,
        authenticator: AuthenticatorKind = .oidc
    ) {
        self.configuration = configuration
        self.clock = clock
        self.authenticator = authenticator
        provider = OpenIDProvider(configuration, client: client, clock: clock)
    }

    package func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        try await verify(try IDToken(token))
    }

    /// - Parameter nonce: The required nonce, if the token was requested with one.
    func verify(_ token: IDToken, nonce: String? = nil) async throws(LoginError) -> VerifiedIdentity {
        // The local checks come first, so that an invalid token causes no request.
        let claims = try IDTokenClaims(token.claims, for: configuration, nonce: nonce, now: clock.seconds)
        guard try await provider.keys(for: token).contains(where: { $0.hasSigned(token) }) else {
            throw LoginError(.refused, "The ID token's signature is wrong")
        }
        var identity = VerifiedIdentity(
            authenticator: authenticator, userName: try configuration.userName(for: claims), subject: claims.subject)
        identity.email = claims.all["email"]?.string
        // Some providers send a string.
        identity.isEmailVerified = claims.all["email_verified"]?.bool == true || claims.all["email_verified"]?.string == "true"
        identity.mayRegister = configuration.registers
        identity.expires = claims.expires
        identity.channels = configuration.channelsClaim.map(claims.texts)
        identity.roles = configuration.rolesClaim.map(claims.texts)
        return identity
    }
}

/// All OpenID Connect providers of a database. A bearer token selects its provider by issuer and audience; a browser login selects it by name.
package struct OpenIDProviders: TokenVerifier {
    private let verifiers: [OpenIDVerifier]
    private let client: VerificationClient

    /// - Parameter configurations: The first is the default.
    package init(_ configurations: [OpenIDConfiguration], client: VerificationClient, clock: AccessClock = .system) {
        verifiers = configurations.map { OpenIDVerifier($0, client: client, clock: clock) }
        self.client = client
    }

    package var authenticator: AuthenticatorKind { .oidc }

    package func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        let token = try IDToken(token)
        let issuer = token.claims["iss"]?.string ?? ""
        let candidates = verifiers.filter { $0.configuration.acceptedIssuers.contains(issuer) }
        var refusal = LoginError(.refused, "The ID token was issued by another issuer")
        // Two providers may be two clients of one issuer.
        for verifier in candidates {
            do {
                return try await verifier.verify(token)
            } catch  where error.code == .refused {
                refusal = error
            }
        }
        throw refusal
    }

    /// Whether a provider is the default.
    package func isDefault(_ provider: String) -> Bool { verifiers.first?.configuration.name == provider }

    /// The browser login at a provider.
    ///
    /// - Parameter provider: Its name; `nil` for the default.
    /// - Throws: ``LoginError`` `malformed` if there is no provider of that name.
    package func flow(with provider: String?) throws(LoginError) -> OpenIDFlow {
        let named = provider.map { name in verifiers.first { $0.configuration.name == name } } ?? verifiers.first
        guard let named else { throw LoginError(.malformed, "There is no OpenID Connect provider of that name") }
        return OpenIDFlow(verifier: named, client: client)
    }
}
