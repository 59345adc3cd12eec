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
