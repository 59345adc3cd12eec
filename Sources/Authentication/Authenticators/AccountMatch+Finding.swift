package import Access
package import Logging

extension AccountMatch {
    /// Finds the user as Sync Gateway does: by name, then by email, else a new user if allowed (docs/protocol/legacy-1x.md#token-logins). Unlike in
    /// Sync Gateway, only a verified email counts, and only if exactly one user has it: otherwise accounts could be taken over.
    ///
    /// - Throws: ``LoginError`` `refused` if there is no such user; errors of the directory.
    package static func find(_ identity: VerifiedIdentity, in directory: any AccountDirectory, logger: Logger) async throws -> AccountMatch
    {
        let name = identity.userName.text
        if try await directory.hasUser(named: name) { return AccountMatch(identity: identity, userName: name, isNew: false) }
        if identity.mayMatchEmail, identity.isEmailVerified, let email = identity.email, !email.isEmpty {
            let names = try await directory.userNames(withEmail: email)
            if names.count == 1, let known = names.first {
                logger.notice(
                    "a login was matched with a user by verified e-mail address",
                    metadata: ["authenticator": "\(identity.authenticator)", "user": "\(known)"])
                return AccountMatch(identity: identity, userName: known, isNew: false)
            }
            guard names.isEmpty else { throw LoginError(.refused, "Several users have the e-mail address of this login") }
        }
        guard identity.mayRegister else { throw LoginError(.refused, "No such user") }
        return AccountMatch(identity: identity, userName: name, isNew: true)
    }
}

/// The user queries for matching an identity with a user.
package protocol AccountDirectory: Sendable {
    /// Whether there is a user with this name, including disabled users.
    func hasUser(named name: String) async throws -> Bool

    /// The names of the users with this email. Two names are enough.
    func userNames(withEmail email: String) async throws -> [String]
}
