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

/// What the configuration says of Google logins.
public struct GoogleConfiguration: Hashable, Sendable {
    /// Google's issuer, which its tokens also give without the scheme.
    public static let issuer = "https://accounts.google.com"

    /// The client IDs that tokens may be issued for.
    public var clientIDs: [String]

    /// Another issuer than Google's is for tests.
    public let issuer: String
    let discovery: VerificationEndpoint

    /// Whether a new user is created at the first login.
    public var registers = false

    /// Whether an existing user with the verified address of the token is taken where none is named by the Google ID.
    public var matchesEmail = false

    /// How far Google's clock may be from ours, in seconds.
    public var clockSkew: Int64 = 60

    /// - Throws: ``LoginError`` `misconfigured` if the issuer is no URL that may be asked.
    public init(clientIDs: [String], issuer: String = GoogleConfiguration.issuer) throws(LoginError) {
        self.clientIDs = clientIDs
        self.issuer = issuer
        discovery = try OpenIDConfiguration.discovery(of: issuer)
    }
}
