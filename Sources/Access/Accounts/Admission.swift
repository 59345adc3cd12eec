import Storage

/// What has to be done so that somebody whom a verifier of logins vouches for can be let in.
struct Admission {
    /// As he is, or would be.
    let user: User
    let isNew: Bool

    /// Whether his record has to be written.
    let changesUser: Bool

    /// What verifiers of logins give him; `nil` if that stays as it is.
    let grants: AdministratorGrants?

    var changesNothing: Bool { !changesUser && grants == nil }

    /// - Throws: ``LoginError`` `refused` if he is not to be let in.
    init(_ match: AccountMatch, passwordHash: PasswordHash?, in snapshot: any StoreSnapshot) throws {
        let (identity, grantee) = (match.identity, Grantee.user(match.userName))
        let isOfUpstream = identity.authenticator == .upstream
        let record = try snapshot.principal(grantee)
        isNew = record == nil
        guard record != nil || match.isNew else { throw Self.refused }
        var user = try record.map { try User($0) } ?? User(name: match.userName)
        // The guest has a record like a user's, and is nobody who could log in. Whoever is known here is checked here: for him,
        // upstream counts only if it brought him.
        guard !user.isGuest, !user.isDisabled, isNew || !isOfUpstream || user.isOfUpstream else { throw Self.refused }
        var changesUser = isNew
        if isNew {
            if identity.isEmailVerified, let email = identity.email, (try? AccountName.validate(email: email)) != nil { user.email = email }
            user.isOfUpstream = isOfUpstream
        }
        // Of two logins at once, the first one's hash is as good.
        if let passwordHash, user.passwordHash == nil {
            user.passwordHash = passwordHash
            changesUser = true
        }
        // What is not spoken of stays.
        let held = try AdministratorGrants.read(from: .login(grantee), in: snapshot)
        var wanted = held
        if let channels = identity.channels {
            // Without a word of his roles nobody can tell which of his channels are theirs.
            let isPartial = isOfUpstream && identity.roles == nil && !held.roles.isEmpty
            wanted.channels = isPartial ? held.channels.union(channels) : channels
        }
        if identity.readsAll, user.readsAll != false, try AdministratorGrants.read(grantee, in: snapshot) == AdministratorGrants() {
            wanted.channels.insert(ChannelAccess.everything)
            changesUser = changesUser || user.readsAll == nil
            user.readsAll = true
        }
        if let roles = identity.roles {
            wanted.roles = roles
            // A role that is here has the channels that it has here.
            let isStrange = try roles.contains { try snapshot.principal(Grantee(.role, $0)) == nil }
            if isStrange { wanted.channels.formUnion(identity.roleChannels) }
        }
        grants = wanted == held ? nil : wanted
        self.user = user
        self.changesUser = changesUser
    }

    private static var refused: LoginError { LoginError(.refused, "Invalid login") }
}

extension AccountEditor {
    /// Lets in whom a verifier of logins vouches for: creates the user if he is new and may register, and gives him what the verifier says.
    ///
    /// Two replications of a pair log in at once: for the second one the user is there already, which is as good.
    ///
    /// - Parameter passwordHash: the password with which he came, to be known here from now on.
    /// - Throws: ``LoginError`` `refused` if he is disabled, the guest, known here without the legacy upstream that vouches for him, or has
    ///   a name, channels or roles that cannot be taken over. Else what the store throws.
    public func admit(_ match: AccountMatch, passwordHash: PasswordHash? = nil) throws -> User {
        let admission = try Admission(match, passwordHash: passwordHash, in: transaction)
        let grantee = Grantee.user(match.userName)
        do {
            if admission.isNew { try AccountName.validate(match.userName) }
            if admission.changesUser {
                let sequence = try transaction.principal(grantee)?.sequence ?? transaction.nextSequence()
                try transaction.setPrincipal(admission.user.record(at: sequence))
            }
            if let grants = admission.grants {
                let isMoving = admission.isNew && match.identity.authenticator == .upstream
                try setLoginGrants(of: match.userName, channels: grants.channels, roles: grants.roles, isMoving: isMoving)
            }
        } catch let error as AccessError where error.code == .badRequest {
            throw LoginError(.refused, "The name, channels or roles of this login cannot be taken over", cause: error)
        }
        return admission.user
    }
}
