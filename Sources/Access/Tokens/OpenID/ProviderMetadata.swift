import Documents

/// What a provider says of itself (OpenID Connect Discovery, 3).
struct ProviderMetadata: Sendable {
    /// Where the user's browser is sent.
    let authorization: VerificationEndpoint?
    /// Where codes and refresh tokens are exchanged.
    let token: VerificationEndpoint?
    /// Where the keys are.
    let keys: VerificationEndpoint
    /// Whether the token endpoint wants the client's secret in the form and not in a header.
    let wantsSecretInForm: Bool

    /// - Throws: ``LoginError`` `unavailable` if it is another provider's, or names addresses that are not to be asked.
    init(_ description: JSONValue, of configuration: OpenIDConfiguration) throws(LoginError) {
        let discovery = configuration.discovery
        guard description["issuer"]?.string == configuration.issuer else {
            throw LoginError(
                .unavailable, "\(discovery) describes another issuer than the configured one; they have to be the same to the letter")
        }
        func endpoint(_ name: String) throws(LoginError) -> VerificationEndpoint? {
            guard let url = description[name]?.string else { return nil }
            return try VerificationEndpoint(discovered: url, by: discovery)
        }
        guard let keys = try endpoint("jwks_uri") else {
            throw LoginError(.unavailable, "\(discovery) does not say where the issuer's keys are")
        }
        self.keys = keys
        authorization = try endpoint("authorization_endpoint")
        token = try endpoint("token_endpoint")
        let methods = description["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string) ?? []
        wantsSecretInForm = methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
    }
}
