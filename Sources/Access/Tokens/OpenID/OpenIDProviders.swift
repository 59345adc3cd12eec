import Documents

/// All OpenID Connect providers of a database. A bearer token finds its own by issuer and audience; a login is begun with one by name.
public struct OpenIDProviders: TokenVerifier {
    private let verifiers: [OpenIDVerifier]
    private let client: VerificationClient

    /// - Parameter configurations: the first is the one that is meant where none is named.
    public init(_ configurations: [OpenIDConfiguration], client: VerificationClient, clock: AccessClock = .system) {
        verifiers = configurations.map { OpenIDVerifier($0, client: client, clock: clock) }
        self.client = client
    }

    public var authenticator: Authenticator { .oidc }

    public func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        let token = try IDToken(token)
        let issuer = token.claims["iss"]?.string ?? ""
        let candidates = verifiers.filter { $0.configuration.acceptedIssuers.contains(issuer) }
        var refusal = LoginError(.refused, "The ID token was issued by somebody else")
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

    /// Whether a provider is the one that is meant where none is named.
    public func isDefault(_ provider: String) -> Bool { verifiers.first?.configuration.name == provider }

    /// The login at a provider.
    ///
    /// - Parameter provider: its name; `nil` for the first.
    /// - Throws: ``LoginError`` `malformed` if there is none of that name.
    public func flow(with provider: String?) throws(LoginError) -> OpenIDFlow {
        let named = provider.map { name in verifiers.first { $0.configuration.name == name } } ?? verifiers.first
        guard let named else { throw LoginError(.malformed, "There is no OpenID Connect provider of that name") }
        return OpenIDFlow(verifier: named, client: client)
    }
}
