import Documents
import Foundation

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

extension OpenIDConfiguration {
    /// The user's name, as Sync Gateway makes it, so that its users are found again.
    ///
    /// - Throws: ``LoginError`` `refused` if the token gives none, or one that no user can have.
    func userName(for claims: IDTokenClaims) throws(LoginError) -> LoginName {
        let text =
            switch naming {
            case .bareSubject: claims.subject
            case .subject(let prefix): "\(prefix ?? issuerPrefix)_\(FormEncoding.encode(claims.subject))"
            case .claim(let name, let prefix): try Self.prefixed(FormEncoding.encode(try Self.value(of: name, in: claims)), prefix)
            }
        guard let name = LoginName(text) else { throw LoginError(.refused, "The ID token gives a name that no user can have") }
        return name
    }

    private static func prefixed(_ text: String, _ prefix: String?) throws(LoginError) -> String {
        guard !text.isEmpty else { throw LoginError(.refused, "The ID token's user name is empty") }
        return prefix.map { "\($0)_\(text)" } ?? text
    }

    private static func value(of claim: String, in claims: IDTokenClaims) throws(LoginError) -> String {
        switch claims.all[claim] {
        case .string(let text): return text
        case .number(let text): return text
        default: throw LoginError(.refused, "The ID token lacks the claim that users are named by")
        }
    }

    /// Host and path of the issuer. A slash or an underscore would not do in a name, so it is encoded.
    private var issuerPrefix: String {
        guard let url = URLComponents(string: issuer), let host = url.host else { return FormEncoding.encode(name) }
        let port = url.port.map { ":\($0)" } ?? ""
        return FormEncoding.encode(host + port + url.path)
    }
}
