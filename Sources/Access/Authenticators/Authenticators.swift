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

/// What the configuration says of everybody who may vouch for a database's users. None does unless it is named.
public struct AuthenticatorsConfiguration: Hashable, Sendable {
    public var facebook: FacebookConfiguration?
    public var persona: PersonaConfiguration?
    public var google: GoogleConfiguration?

    /// The first is the one that is meant where none is named.
    public var oidc: [OpenIDConfiguration] = []
    public var clientCertificate: ClientCertificateConfiguration?
    public var upstream: UpstreamConfiguration?

    /// What asking them may take.
    public var limits = VerificationLimits()

    /// A PEM file of authorities that are trusted in place of the system's.
    public var authorityFile: String?

    public init() {}

    /// Whether nobody is named.
    public var isEmpty: Bool {
        facebook == nil && persona == nil && google == nil && oidc.isEmpty && clientCertificate == nil && upstream == nil
    }
}
