/// The authenticators of users other than the database itself.
package enum AuthenticatorKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case facebook
    case persona
    case google
    /// OpenID Connect.
    case oidc
    /// A client certificate from the TLS handshake.
    case clientCertificate
    /// The legacy upstream.
    case upstream

    package var description: String { rawValue }
}

/// A user's identity as confirmed by an authenticator.
package struct VerifiedIdentity: Hashable, Sendable {
    /// The authenticator that confirmed the identity.
    package let authenticator: AuthenticatorKind

    /// The user's name in this database.
    package let userName: LoginName

    /// The user's name at the authenticator.
    package let subject: String

    package var email: String?

    /// Whether the authenticator has verified that the email is the user's.
    package var isEmailVerified = false

    /// Whether the email may match an existing user if no user has the name: users of old Sync Gateways are named by their email
    /// (docs/protocol/legacy-1x.md#token-logins). Applies to verified emails only.
    package var mayMatchEmail = false

    /// Whether a new user may be created.
    package var mayRegister = false

    /// The expiry of the token, in seconds since 1970. A session created from it should not outlive it.
    package var expires: Int64?

    /// The channels that the authenticator grants; `nil` if it does not report channels, which leaves the previous ones unchanged.
    package var channels: Set<String>?

    /// Whether the authenticator has no channels and shows the user every document. The user gets the channel `*` here, unless an administrator
    /// sets his channels or roles.
    package var readsAll = false

    /// The roles that the authenticator grants; `nil` if it does not report roles.
    package var roles: Set<String>?

    /// The channels of these roles. Used if one of the roles does not exist here.
    package var roleChannels: Set<String> = []

    /// The password that upstream accepted, to be hashed and stored here.
    package var password: Secret?

    package init(authenticator: AuthenticatorKind, userName: LoginName, subject: String) {
        self.authenticator = authenticator
        self.userName = userName
        self.subject = subject
    }
}

/// A user's name from an external source, restricted to names that Sync Gateway accepts (docs/protocol/legacy-1x.md#user-names).
package struct LoginName: Hashable, Sendable, CustomStringConvertible {
    /// The limit in bytes, because names are parts of keys and URLs.
    static let maximumLength = 250

    package let text: String

    /// `nil` if the text is empty, too long, or has characters other than letters, digits and `_-+.@%`.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    package var description: String { text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: "%"): true
        default: false
        }
    }
}
