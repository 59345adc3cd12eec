/// The authenticators of a database.
package struct Authenticators: Sendable {
    package let facebook: FacebookVerifier?
    package let persona: PersonaVerifier?
    package let google: GoogleVerifier?
    package let oidc: OpenIDProviders?
    package let clientCertificate: ClientCertificateVerifier?
    package let upstream: UpstreamVerifier?
    private let client: VerificationClient

    /// - Parameter membership: Reads the roles of the legacy upstream's users, which their sessions do not contain.
    package init(
        _ configuration: AuthenticatorsConfiguration, membership: UpstreamMembership.Source? = nil, clock: AccessClock = .system
    ) {
        let client = VerificationClient(limits: configuration.limits, authorityFile: configuration.authorityFile)
        facebook = configuration.facebook.map { FacebookVerifier($0, client: client) }
        persona = configuration.persona.map { PersonaVerifier($0, client: client, clock: clock) }
        google = configuration.google.map { GoogleVerifier($0, client: client, clock: clock) }
        oidc = configuration.oidc.isEmpty ? nil : OpenIDProviders(configuration.oidc, client: client, clock: clock)
        clientCertificate = configuration.clientCertificate.map { ClientCertificateVerifier($0, clock: clock) }
        upstream = configuration.upstream.map { UpstreamVerifier($0, client: client, membership: membership, clock: clock) }
        self.client = client
    }

    /// Closes all connections. Later requests fail with `unavailable`.
    package func close() async {
        await client.close()
    }
}

/// The configuration of a database's authenticators. All are off by default.
package struct AuthenticatorsConfiguration: Hashable, Sendable {
    package var facebook: FacebookConfiguration?
    package var persona: PersonaConfiguration?
    package var google: GoogleConfiguration?

    /// The OpenID Connect providers. The first is the default.
    package var oidc: [OpenIDConfiguration] = []
    package var clientCertificate: ClientCertificateConfiguration?
    package var upstream: UpstreamConfiguration?

    /// The limits of requests to authenticators.
    package var limits = VerificationLimits()

    /// A PEM file of certificate authorities that replace the system's.
    package var authorityFile: String?

    package init() {}

    /// Whether there are no authenticators.
    package var isEmpty: Bool {
        facebook == nil && persona == nil && google == nil && oidc.isEmpty && clientCertificate == nil && upstream == nil
    }
}
