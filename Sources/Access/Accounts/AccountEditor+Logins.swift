import Storage

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
