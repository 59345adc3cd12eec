/// Everybody who may vouch for a database's users, ready to be asked.
public struct Authenticators: Sendable {
    public let facebook: FacebookVerifier?
    public let persona: PersonaVerifier?
    public let google: GoogleVerifier?
    public let oidc: OpenIDProviders?
    public let clientCertificate: ClientCertificateVerifier?
    public let upstream: UpstreamVerifier?
    private let client: VerificationClient

    /// - Parameter membership: tells the roles of the legacy upstream's users, which their sessions do not.
    public init(
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

    /// Lets go of all connections. What is asked afterwards is answered with `unavailable`.
    public func close() async {
        await client.close()
    }
}
