package import Access
import Documents
import Foundation

/// The configuration of an OpenID Connect provider.
package struct OpenIDConfiguration: Hashable, Sendable {
    /// The derivation of a user's name from a token's claims.
    package enum Naming: Hashable, Sendable {
        /// `prefix_subject`, as in Sync Gateway. The default prefix is the issuer's host and path, encoded as in a query.
        case subject(prefix: String?)
        /// A claim's value, after `prefix_` if there is a prefix.
        case claim(String, prefix: String?)
        /// The unchanged subject. For issuers whose subjects cannot collide with other names, such as Google.
        case bareSubject
    }

    /// The value of `provider=` for this provider.
    package var name: String

    /// The issuer, exactly as in tokens and in the provider's metadata.
    package let issuer: String

    /// The accepted values of a token's `iss`.
    package var acceptedIssuers: Set<String>

    /// The URL of the provider's metadata.
    package var discovery: VerificationEndpoint

    /// The accepted client IDs of tokens. The first is our own client ID.
    package var clientIDs: [String]

    /// The secret that authenticates our code exchange.
    package var clientSecret: Secret?

    /// The URL to which the provider redirects the user's browser; `nil` for `_oidc_callback` at the address of the request.
    package var callbackURL: String?

    /// The requested scopes.
    package var scopes = ["openid", "email"]

    package var naming = Naming.subject(prefix: nil)

    /// Claims with channels and roles to grant, each a string or a list of strings.
    package var channelsClaim: String?
    package var rolesClaim: String?

    /// Whether a new user is created at the first login.
    package var registers = false

    /// Whether the replies of `_oidc_callback` and `_oidc_refresh` contain the provider's access token.
    package var includesAccessToken = false

    /// Whether a cookie ensures that a login ends in the browser in which it began. Off for clients without cookies.
    package var checksState = true

    /// The accepted difference to the provider's clock, in seconds.
    package var clockSkew: Int64 = 60

    package init(name: String = "", issuer: String, discovery: VerificationEndpoint, clientIDs: [String]) {
        self.name = name
        self.issuer = issuer
        self.discovery = discovery
        self.clientIDs = clientIDs
        acceptedIssuers = [issuer]
    }

    /// The default URL of an issuer's metadata (OpenID Connect Discovery, 4).
    ///
    /// - Throws: ``LoginError`` `misconfigured` if the issuer is not an allowed URL.
    package static func discovery(of issuer: String) throws(LoginError) -> VerificationEndpoint {
        try VerificationEndpoint(configured: issuer).appending("/.well-known/openid-configuration")
    }
}

extension OpenIDConfiguration {
    /// The user's name as Sync Gateway derives it, so that its users match.
    ///
    /// - Throws: ``LoginError`` `refused` if the token has none, or one that is not allowed.
    func userName(for claims: IDTokenClaims) throws(LoginError) -> LoginName {
        let text =
            switch naming {
            case .bareSubject: claims.subject
            case .subject(let prefix): "\(prefix ?? issuerPrefix)_\(FormEncoding.encode(claims.subject))"
            case .claim(let name, let prefix): try Self.prefixed(FormEncoding.encode(try Self.value(of: name, in: claims)), prefix)
            }
        guard let name = LoginName(text) else { throw LoginError(.refused, "The name in the ID token is not a valid user name") }
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
        default: throw LoginError(.refused, "The ID token lacks the claim that is configured for user names")
        }
    }

    /// The encoded host and path of the issuer. A name cannot contain a slash, so it is encoded.
    private var issuerPrefix: String {
        guard let url = URLComponents(string: issuer), let host = url.host else { return FormEncoding.encode(name) }
        let port = url.port.map { ":\($0)" } ?? ""
        return FormEncoding.encode(host + port + url.path)
    }
}
