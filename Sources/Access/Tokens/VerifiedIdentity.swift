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
