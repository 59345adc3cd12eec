import Access
import Coordination
import Documents

/// The cached metadata and keys of a provider.
actor OpenIDProvider {
    /// The maximum age of the metadata, in seconds.
    private static let metadataAge: Int64 = 24 * 3600
    /// The maximum number of keys. Further keys are ignored.
    private static let maximumKeys = 64

    private let configuration: OpenIDConfiguration
    private let client: VerificationClient
    private let clock: AccessClock
    private var description: (metadata: ProviderMetadata, fetched: Int64)?
    private var keys = KeyCache()
    private let fetches = SingleFlight<String, Void>()

    init(_ configuration: OpenIDConfiguration, client: VerificationClient, clock: AccessClock) {
        self.configuration = configuration
        self.client = client
        self.clock = clock
    }

    /// The provider's metadata.
    func metadata() async throws(LoginError) -> ProviderMetadata {
        if let description, clock.uptimeSeconds - description.fetched < Self.metadataAge { return description.metadata }
        let response = try await client.send(.get(configuration.discovery))
        guard response.status == 200 else { throw LoginError(.unavailable, "\(configuration.discovery) status \(response.status)") }
        let metadata = try ProviderMetadata(try response.object(of: "\(configuration.discovery)"), of: configuration)
        description = (metadata, clock.uptimeSeconds)
        return metadata
    }

    /// The keys of which one must have signed the token.
    ///
    /// - Throws: ``LoginError`` `refused` if the provider has no such key, `unavailable` if it does not reply.
    func keys(for token: IDToken) async throws(LoginError) -> [SigningKey] {
        guard case .fetch(let fallback) = answer(token) else { return try resolve(answer(token)) }
        do {
            try await fetchKeys(for: token)
        } catch {
            guard !fallback.isEmpty else { throw error }
            return fallback
        }
        return try resolve(answer(token))
    }

    private func answer(_ token: IDToken) -> KeyCache.Answer {
        keys.answer(keyID: token.keyID, algorithm: token.algorithm, now: clock.uptimeSeconds)
    }

    private func resolve(_ answer: KeyCache.Answer) throws(LoginError) -> [SigningKey] {
        switch answer {
        case .keys(let keys): return keys
        case .unknown: throw LoginError(.refused, "The ID token is signed with a key that its issuer does not have")
        case .fetch, .unavailable: throw LoginError(.unavailable, "The keys of \(configuration.issuer) cannot be fetched; try again later")
        }
    }

    /// Fetches the keys. Concurrent callers share one request.
    private func fetchKeys(for token: IDToken) async throws(LoginError) {
        do {
            try await fetches.value(for: configuration.issuer) {
                // An earlier fetch may have ended between the caller's check and this call.
                guard case .fetch = await self.answer(token) else { return }
                try await self.replaceKeys()
            }
        } catch {
            throw error as? LoginError ?? LoginError(.unavailable, "The keys of \(configuration.issuer) cannot be fetched", cause: error)
        }
    }

    private func replaceKeys() async throws(LoginError) {
        do throws(LoginError) {
            let endpoint = try await metadata().keys
            let response = try await client.send(.get(endpoint))
            guard response.status == 200 else { throw LoginError(.unavailable, "\(endpoint) status \(response.status)") }
            guard let listed = try response.object(of: "\(endpoint)")["keys"]?.array else {
                throw LoginError(.unavailable, "\(endpoint) does not list keys")
            }
            var usable: [SigningKey] = []
            for key in listed.prefix(Self.maximumKeys) {
                if let key = await SigningKey(key) { usable.append(key) }
            }
            keys.succeeded(with: usable, now: clock.uptimeSeconds)
        } catch {
            keys.failed(now: clock.uptimeSeconds)
            throw error
        }
    }
}

/// A provider's metadata (OpenID Connect Discovery, 3).
struct ProviderMetadata: Sendable {
    /// The authorization endpoint, to which the user's browser is redirected.
    let authorization: VerificationEndpoint?
    /// The token endpoint, which exchanges codes and refresh tokens.
    let token: VerificationEndpoint?
    /// The URL of the keys.
    let keys: VerificationEndpoint
    /// Whether the token endpoint requires the client's secret in the form instead of a header.
    let wantsSecretInForm: Bool

    /// - Throws: ``LoginError`` `unavailable` if the metadata is that of another issuer, or contains addresses that are not allowed.
    init(_ description: JSONValue, of configuration: OpenIDConfiguration) throws(LoginError) {
        let discovery = configuration.discovery
        guard description["issuer"]?.string == configuration.issuer else {
            throw LoginError(
                .unavailable, "\(discovery) names another issuer than the configuration; both have to be identical")
        }
        func endpoint(_ name: String) throws(LoginError) -> VerificationEndpoint? {
            guard let url = description[name]?.string else { return nil }
            return try VerificationEndpoint(discovered: url, by: discovery)
        }
        guard let keys = try endpoint("jwks_uri") else {
            throw LoginError(.unavailable, "\(discovery) has no `jwks_uri`, the URL of the issuer's keys")
        }
        self.keys = keys
        authorization = try endpoint("authorization_endpoint")
        token = try endpoint("token_endpoint")
        let methods = description["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string) ?? []
        wantsSecretInForm = methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
    }
}
