import Documents

/// Checks ID tokens of one provider: signature, issuer, audience, times.
public struct OpenIDVerifier: TokenVerifier {
    let configuration: OpenIDConfiguration
    let provider: OpenIDProvider
    private let clock: AccessClock
    public let authenticator: Authenticator

    public init(
        _ configuration: OpenIDConfiguration, client: VerificationClient, clock: AccessClock = .system, authenticator: Authenticator = .oidc
    ) {
        self.configuration = configuration
        self.clock = clock
        self.authenticator = authenticator
        provider = OpenIDProvider(configuration, client: client, clock: clock)
    }

    public func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        try await verify(try IDToken(token))
    }

    /// - Parameter nonce: what the token has to carry, if it was asked for with one.
    func verify(_ token: IDToken, nonce: String? = nil) async throws(LoginError) -> VerifiedIdentity {
        // First what costs nothing, so that nobody is asked about a token that will not do anyway.
        let claims = try IDTokenClaims(token.claims, for: configuration, nonce: nonce, now: clock.seconds)
        guard try await provider.keys(for: token).contains(where: { $0.hasSigned(token) }) else {
            throw LoginError(.refused, "The ID token's signature is wrong")
        }
        var identity = VerifiedIdentity(
            authenticator: authenticator, userName: try configuration.userName(for: claims), subject: claims.subject)
        identity.email = claims.all["email"]?.string
        // Some providers send it as a text.
        identity.isEmailVerified = claims.all["email_verified"]?.bool == true || claims.all["email_verified"]?.string == "true"
        identity.mayRegister = configuration.registers
        identity.expires = claims.expires
        identity.channels = configuration.channelsClaim.map(claims.texts)
        identity.roles = configuration.rolesClaim.map(claims.texts)
        return identity
    }
}
