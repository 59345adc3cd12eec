package import Access

/// Checks an ID token of Google. Sync Gateway sends each token to Google. A check of its signature is equivalent, and the token stays here.
package struct GoogleVerifier: TokenVerifier {
    private let configuration: GoogleConfiguration
    private let tokens: OpenIDVerifier

    package init(_ configuration: GoogleConfiguration, client: VerificationClient, clock: AccessClock = .system) {
        self.configuration = configuration
        var issuer = OpenIDConfiguration(
            issuer: configuration.issuer, discovery: configuration.discovery, clientIDs: configuration.clientIDs)
        if configuration.issuer == GoogleConfiguration.issuer { issuer.acceptedIssuers.insert("accounts.google.com") }
        issuer.naming = .bareSubject
        issuer.clockSkew = configuration.clockSkew
        issuer.registers = configuration.registers
        tokens = OpenIDVerifier(issuer, client: client, clock: clock, authenticator: .google)
    }

    package var authenticator: AuthenticatorKind { .google }

    package func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        var identity = try await tokens.verify(token)
        identity.mayMatchEmail = configuration.matchesEmail
        // The session does not end with the token: Google's tokens last an hour.
        identity.expires = nil
        return identity
    }
}

/// The configuration of Google logins.
package struct GoogleConfiguration: Hashable, Sendable {
    /// Google's issuer. Its tokens may also give it without the scheme.
    package static let issuer = "https://accounts.google.com"

    /// The client IDs that tokens may be issued for.
    package var clientIDs: [String]

    /// The issuer. Tests use other issuers.
    package let issuer: String
    let discovery: VerificationEndpoint

    /// Whether a new user is created at the first login.
    package var registers = false

    /// Whether the token's verified email may match an existing user if no user has the Google ID as a name.
    package var matchesEmail = false

    /// The accepted difference to Google's clock, in seconds.
    package var clockSkew: Int64 = 60

    /// - Throws: ``LoginError`` `misconfigured` if the issuer is not an allowed URL.
    package init(clientIDs: [String], issuer: String = GoogleConfiguration.issuer) throws(LoginError) {
        self.clientIDs = clientIDs
        self.issuer = issuer
        discovery = try OpenIDConfiguration.discovery(of: issuer)
    }
}
