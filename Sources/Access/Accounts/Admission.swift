import Storage

/// The changes needed to admit a user whom a login verifier has authenticated.
struct Admission {
    /// The user after the changes.
    let user: User
    let isNew: Bool

    /// Whether the user's record has to be written.
    let changesUser: Bool

    /// The new grants of the login verifier; `nil` if they are unchanged.
    let grants: AdministratorGrants?

    var changesNothing: Bool { !changesUser && grants == nil }

    /// - Throws: ``LoginError`` `refused` if the user must not log in.
    init(_ match: AccountMatch, passwordHash: PasswordHash?, in snapshot: any StoreSnapshot) throws {
        let (identity, grantee) = (match.identity, Grantee.user(match.userName))
        let isOfUpstream = identity.authenticator == .upstream
        let record = try snapshot.principal(grantee)
        isNew = record == nil
        guard record != nil || match.isNew else { throw Self.refused }
        var user = try record.map { try User($0) } ?? User(name: match.userName)
        // The guest has a user record, but cannot log in. A user known here is checked here: upstream's check counts only for users that came from
        // upstream.
        guard !user.isGuest, !user.isDisabled, isNew || !isOfUpstream || user.isOfUpstream || match.isVouched else { throw Self.refused }
        guard isNew || !match.isVouched || user.isOfUpstream else {
            (self.user, self.changesUser, grants) = (user, false, nil)
            return
        }
        var changesUser = isNew
        if isNew {
            if identity.isEmailVerified, let email = identity.email, (try? AccountName.validate(email: email)) != nil { user.email = email }
            user.isOfUpstream = isOfUpstream
        }
        // Of two concurrent logins, the first one's hash stays.
        if let passwordHash, user.passwordHash == nil {
            user.passwordHash = passwordHash
            changesUser = true
        }
        // Grants that the identity does not mention stay.
        let held = try AdministratorGrants.read(from: .login(grantee), in: snapshot)
        var wanted = held
        if let channels = identity.channels {
            // If upstream does not report roles, the channels that come from the user's roles are unknown.
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
            // A role that exists here has its channels here.
            let hasUnknownRole = try roles.contains { try snapshot.principal(Grantee(.role, $0)) == nil }
            if hasUnknownRole { wanted.channels.formUnion(identity.roleChannels) }
        }
        grants = wanted == held ? nil : wanted
        self.user = user
        self.changesUser = changesUser
    }

    private static var refused: LoginError { LoginError(.refused, "Invalid login") }
}

extension AccountEditor {
    /// Admits a user whom a login verifier has authenticated. Creates the user if he is new and may register, and sets the grants of the verifier.
    ///
    /// Two replications of a pair log in concurrently: the second one finds the user that the first one created.
    ///
    /// - Parameter passwordHash: The hash of the password of this login, to be stored here.
    /// - Throws: ``LoginError`` `refused` if the user is disabled, is the guest, was not created by the legacy upstream that authenticated him, or
    ///   has a name, channels or roles that are not allowed here; errors of the store.
    package func admit(_ match: AccountMatch, passwordHash: PasswordHash? = nil) throws -> User {
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
            throw LoginError(.refused, "The name, channels or roles of this login are not valid", cause: error)
        }
        return admission.user
    }
}

/// The user that an identity belongs to.
package struct AccountMatch: Hashable, Sendable {
    package let identity: VerifiedIdentity

    /// The user's name in this database.
    package let userName: String

    /// Whether the user does not exist yet and has to be created before the login.
    package let isNew: Bool

    /// Whether upstream's check also counts for a user who did not come from upstream. Such a user keeps the rights that he has here.
    package var isVouched = false

    package init(identity: VerifiedIdentity, userName: String, isNew: Bool) {
        self.identity = identity
        self.userName = userName
        self.isNew = isNew
    }
}
