/// Checks an ID token of Google. Sync Gateway asks Google about each token; its signature says the same and the token stays here.
public struct GoogleVerifier: TokenVerifier {
    private let configuration: GoogleConfiguration
    private let tokens: OpenIDVerifier

    public init(_ configuration: GoogleConfiguration, client: VerificationClient, clock: AccessClock = .system) {
        self.configuration = configuration
        var issuer = OpenIDConfiguration(
            issuer: configuration.issuer, discovery: configuration.discovery, clientIDs: configuration.clientIDs)
        if configuration.issuer == GoogleConfiguration.issuer { issuer.acceptedIssuers.insert("accounts.google.com") }
        issuer.naming = .bareSubject
        issuer.clockSkew = configuration.clockSkew
        issuer.registers = configuration.registers
        tokens = OpenIDVerifier(issuer, client: client, clock: clock, authenticator: .google)
    }

    public var authenticator: Authenticator { .google }

    public func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        var identity = try await tokens.verify(token)
        identity.mayMatchEmail = configuration.matchesEmail
        // The session is a login of its own; Google's tokens last an hour.
        identity.expires = nil
        return identity
    }
}
