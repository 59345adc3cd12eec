public import Storage

/// Checks names and passwords of one database.
public final class PasswordChecker: Sendable {
    private let store: any Store
    private let verifier: PasswordVerifier

    public init(
        store: any Store, clock: AccessClock = .system, cost: ScryptCost = .standard, limits: LoginLimits = LoginLimits(),
        width: Int = PasswordVerifier.defaultWidth, cacheCapacity: Int = 20_000, cacheTime: Int64 = 3_600_000
    ) {
        self.store = store
        verifier = PasswordVerifier(
            clock: clock, cost: cost, limits: limits, width: width, cacheCapacity: cacheCapacity, cacheTime: cacheTime)
    }

    /// Hashes a new password, off the threads that others need.
    ///
    /// - Parameter old: The hash of the user's password so far. It is the answer where the password is the same, so that nothing that the login has opened ends.
    /// - Throws: ``AccessError`` `badRequest` for an empty or too long password, `busy`.
    public func hash(_ password: String, replacing old: PasswordHash? = nil) async throws -> PasswordHash {
        try await verifier.hash(password, replacing: old)
    }

    /// The user of this name and password.
    ///
    /// - Parameter address: where the caller is, for the limits on wrong passwords.
    /// - Throws: ``AccessError`` `invalidLogin`, `tooManyAttempts`, `busy`. Else what the store throws.
    public func login(name: String, password: String, address: String) async throws -> User {
        let user = try await Accounts(store).user(name).flatMap { $0.isGuest || $0.isDisabled ? nil : $0 }
        let hash = user?.passwordHash
        let isFresh = try await verifier.verify(name: name, password: password, against: hash, address: address)
        guard let user, let hash else { throw AccessError(.invalidLogin, "Invalid login") }
        return isFresh && hash.isOutdated(verifier.cost) ? await upgrade(user, password) : user
    }

    /// Makes the hash anew with our function and cost. If it cannot be done now, the next login will try.
    private func upgrade(_ user: User, _ password: String) async -> User {
        // Another login may have been faster.
        guard let found = try? await Accounts(store).user(user.name), found.passwordHash == user.passwordHash,
            let new = try? await verifier.hash(password)
        else { return user }
        let upgraded = try? await store.write { transaction -> User? in
            guard let record = try transaction.principal(.user(user.name)) else { return nil }
            var current = try User(record)
            // A new password that came meanwhile stays.
            guard current.passwordHash == user.passwordHash else { return nil }
            current.passwordHash = new
            try transaction.setPrincipal(current.record(at: record.sequence))
            return current
        }
        guard let upgraded = upgraded.flatMap({ $0 }) else { return user }
        verifier.remember(name: user.name, password: password, for: new)
        return upgraded
    }
}
