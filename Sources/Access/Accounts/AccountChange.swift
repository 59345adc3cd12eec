public import Storage

/// What an administrator changes of a user or role. What is `nil` stays as it is.
public struct AccountChange: Sendable {
    /// Replaces the channels of the default collection.
    public var channels: Set<String>?

    /// Replaces the channels of single collections; `nil` for one takes back what was said for it, so that the default's hold there again.
    public var collections: [CollectionKey: Set<String>?] = [:]

    // The rest is for users alone.

    /// Replaces the roles.
    public var roles: Set<String>?

    /// An empty text removes it.
    public var email: String?
    public var isDisabled: Bool?

    /// Whether the legacy upstream may vouch for him.
    public var isOfUpstream: Bool?

    /// The legacy upstream vouches for the user no more. All sessions end, unless the user has this password already.
    public var passwordHash: PasswordHash?

    public init() {}

    /// Checks the names in it, and that of the user or role, before there is a store.
    ///
    /// - Throws: ``AccessError`` `badRequest` if one is not allowed.
    public func validate(for grantee: Grantee) throws(AccessError) {
        try AccountName.validate(grantee.name)
        try apply(to: AdministratorGrants()).validate()
        if let email, !email.isEmpty { try AccountName.validate(email: email) }
    }

    func apply(to grants: AdministratorGrants) -> AdministratorGrants {
        var result = grants
        if let channels { result.channels = channels }
        for (collection, channels) in collections { result.collections[collection] = channels }
        if let roles { result.roles = roles }
        return result
    }

    func apply(to user: User) throws(AccessError) -> User {
        var result = user
        if let email {
            if !email.isEmpty { try AccountName.validate(email: email) }
            result.email = email.isEmpty ? nil : email
        }
        if let passwordHash {
            result.isOfUpstream = false
            if passwordHash != user.passwordHash { result.endSessions() }
            result.passwordHash = passwordHash
        }
        if let isDisabled {
            if isDisabled, !user.isDisabled { result.endSessions() }
            result.isDisabled = isDisabled
        }
        if let isOfUpstream { result.isOfUpstream = isOfUpstream }
        return result
    }
}
