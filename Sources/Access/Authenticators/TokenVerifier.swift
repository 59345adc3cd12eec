/// Finds out whether somebody else vouches for a user: the whole of what an authenticator has to do. Another authenticator is another file.
public protocol TokenVerifier<Token>: Sendable {
    /// What a client presents: a text, credentials, a certificate.
    associatedtype Token: Sendable

    /// By what name logs call it.
    var authenticator: Authenticator { get }

    /// Who the token is for.
    ///
    /// - Throws: ``LoginError``: `malformed` if the token cannot be read, `refused` if it does not prove anything to us, `unavailable` if
    ///   whoever has to be asked does not answer properly. There is no identity unless everything was checked.
    func verify(_ token: Token) async throws(LoginError) -> VerifiedIdentity
}

/// Who can vouch for a user besides the database itself.
public enum Authenticator: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case facebook
    case persona
    case google
    /// OpenID Connect.
    case oidc
    /// A certificate that the client showed in the TLS handshake.
    case clientCertificate
    /// The server that the fleet comes from.
    case upstream

    public var description: String { rawValue }
}

/// Who somebody is, as an authenticator vouches for it.
public struct VerifiedIdentity: Hashable, Sendable {
    /// Who vouches.
    public let authenticator: Authenticator

    /// The name of the user here.
    public let userName: LoginName

    /// The name by which the authenticator knows the user.
    public let subject: String

    public var email: String?

    /// Whether the authenticator has made sure that the address is the user's.
    public var isEmailVerified = false

    /// Whether an existing user with this address may be taken where none has the name: users of old Sync Gateways are named by their
    /// address (docs/protocol/legacy-1x.md#token-logins). Heeded only if the address is verified.
    public var mayMatchEmail = false

    /// Whether a user may be created.
    public var mayRegister = false

    /// When what was presented ends, in seconds since 1970; a session made from it should not outlive it.
    public var expires: Int64?

    /// The channels that the authenticator grants; `nil` if it says nothing of them, so that what was said before stays.
    public var channels: Set<String>?

    /// Whether the authenticator shows the user every document and has no channels: here that is the channel `*`, unless an administrator says by
    /// channels or roles what the user sees.
    public var readsAll = false

    /// The roles that the authenticator grants; `nil` if it says nothing of them.
    public var roles: Set<String>?

    /// The channels of these roles, for where one of them is not known here.
    public var roleChannels: Set<String> = []

    /// The password that was accepted upstream, so that it can be hashed and known here.
    public var password: Secret?

    public init(authenticator: Authenticator, userName: LoginName, subject: String) {
        self.authenticator = authenticator
        self.userName = userName
        self.subject = subject
    }
}

/// A user's name as it comes from outside: one that Sync Gateway would take, too (docs/protocol/legacy-1x.md#user-names).
public struct LoginName: Hashable, Sendable, CustomStringConvertible {
    /// Names are parts of keys and URLs.
    static let maximumLength = 250

    public let text: String

    /// `nil` if the text is empty, too long, or has characters other than letters, digits and `_-+.@%`.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    public var description: String { text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: "%"): true
        default: false
        }
    }
}
