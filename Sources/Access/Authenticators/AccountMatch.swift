public import Logging

/// Which user an identity is.
public struct AccountMatch: Hashable, Sendable {
    public let identity: VerifiedIdentity

    /// The user's name here.
    public let userName: String

    /// Whether there is no such user yet: it is to be created before it is logged in.
    public let isNew: Bool

    public init(identity: VerifiedIdentity, userName: String, isNew: Bool) {
        self.identity = identity
        self.userName = userName
        self.isNew = isNew
    }

    /// Finds the user as Sync Gateway does: by name, then by e-mail address, else a new one where that is allowed
    /// (docs/protocol/legacy-1x.md#token-logins). Unlike there, only a verified address counts, and only if it is one user's: anything else would
    /// hand over accounts.
    ///
    /// - Throws: ``LoginError`` `refused` if there is no such user, and what the directory throws.
    public static func find(_ identity: VerifiedIdentity, in directory: any AccountDirectory, logger: Logger) async throws -> AccountMatch {
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

/// Who is known here: what matching an identity with a user has to ask.
public protocol AccountDirectory: Sendable {
    /// Whether there is a user of this name, disabled ones included.
    func hasUser(named name: String) async throws -> Bool

    /// The names of the users with this e-mail address. More than two need not be given.
    func userNames(withEmail email: String) async throws -> [String]
}
