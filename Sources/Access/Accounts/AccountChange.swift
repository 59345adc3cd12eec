package import Storage

/// An administrator's change of a user or role. `nil` properties stay unchanged.
package struct AccountChange: Sendable {
    /// Replaces the channels of the default collection.
    package var channels: Set<String>?

    /// Replaces the channels of single collections. `nil` for a collection removes its own setting, so that the default collection's channels apply
    /// again.
    package var collections: [CollectionKey: Set<String>?] = [:]

    // The following properties apply to users only.

    /// Replaces the roles.
    package var roles: Set<String>?

    /// An empty string removes the email.
    package var email: String?
    package var isDisabled: Bool?

    /// Whether the legacy upstream may authenticate the user.
    package var isOfUpstream: Bool?

    /// A new password also ends authentication by the legacy upstream. Ends all sessions, unless the hash is unchanged.
    package var passwordHash: PasswordHash?

    package init() {}

    /// Validates all names, without a store.
    ///
    /// - Throws: ``AccessError`` `badRequest` if a name is not allowed.
    package func validate(for grantee: Grantee) throws(AccessError) {
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
