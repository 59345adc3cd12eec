/// What the configuration says of Persona (BrowserID) logins. Mozilla's verifier is gone; some teams run one of their own.
public struct PersonaConfiguration: Hashable, Sendable {
    public var verifier: VerificationEndpoint

    /// The origin that assertions have to be made for, such as `https://app.example.com`.
    public var audience: String

    /// Who may have issued an assertion, besides the domain of the e-mail address itself. Where nobody is named, that is left to the verifier.
    public var issuers: Set<String> = []

    /// How far the verifier's clock may be behind ours, in seconds.
    public var clockSkew: Int64 = 60

    /// How long after its first use an assertion may be used again, in seconds: the two replications of a pair present the same one.
    public var reuse: Int64 = 60

    /// Whether a new user, named by the address, is created at the first login.
    public var registers = false

    public init(verifier: VerificationEndpoint, audience: String) {
        self.verifier = verifier
        self.audience = audience
    }
}
