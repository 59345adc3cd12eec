/// What the configuration says of one OpenID Connect provider.
public struct OpenIDConfiguration: Hashable, Sendable {
    /// How a user's name is made of a token's claims.
    public enum Naming: Hashable, Sendable {
        /// `prefix_subject`, as in Sync Gateway. Without a prefix it is the issuer's host and path, encoded as in a query.
        case subject(prefix: String?)
        /// A claim's value, with `prefix_` before it if there is one.
        case claim(String, prefix: String?)
        /// The subject as it is. For issuers whose subjects are nobody else's names, Google's for one.
        case bareSubject
    }

    /// How `provider=` calls it.
    public var name: String

    /// As it stands in tokens and in the provider's own description.
    public let issuer: String

    /// The issuers that a token may name.
    public var acceptedIssuers: Set<String>

    /// Where the provider describes itself.
    public var discovery: VerificationEndpoint

    /// The clients that tokens may be for. The first is what we call ourselves.
    public var clientIDs: [String]

    /// Proves that codes are exchanged by us.
    public var clientSecret: Secret?

    /// Where the provider sends the user's browser back to; `nil` for `_oidc_callback` at the address that the request came to.
    public var callbackURL: String?

    /// What is asked for.
    public var scopes = ["openid", "email"]

    public var naming = Naming.subject(prefix: nil)

    /// Claims with channels and roles to grant, each a text or a list of texts.
    public var channelsClaim: String?
    public var rolesClaim: String?

    /// Whether a new user is created at the first login.
    public var registers = false

    /// Whether the answers of `_oidc_callback` and `_oidc_refresh` have the provider's access token in them.
    public var includesAccessToken = false

    /// Whether a login that was begun elsewhere is refused by means of a cookie. Off for clients that keep none.
    public var checksState = true

    /// How far the provider's clock may be from ours, in seconds.
    public var clockSkew: Int64 = 60

    public init(name: String = "", issuer: String, discovery: VerificationEndpoint, clientIDs: [String]) {
        self.name = name
        self.issuer = issuer
        self.discovery = discovery
        self.clientIDs = clientIDs
        acceptedIssuers = [issuer]
    }

    /// Where an issuer describes itself if nothing else is said (OpenID Connect Discovery, 4).
    ///
    /// - Throws: ``LoginError`` `misconfigured` if the issuer is no URL that may be asked.
    public static func discovery(of issuer: String) throws(LoginError) -> VerificationEndpoint {
        try VerificationEndpoint(configured: issuer).appending("/.well-known/openid-configuration")
    }
}
