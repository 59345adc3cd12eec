package import Access
package import Storage

/// Checks names and passwords of a database's users.
package final class PasswordChecker: Sendable {
    private let store: any Store
    private let verifier: PasswordVerifier

    package init(
        store: any Store, clock: AccessClock = .system, cost: ScryptCost = .standard, limits: LoginLimits = LoginLimits(),
        width: Int = PasswordVerifier.defaultWidth, cacheCapacity: Int = 20_000, cacheTime: Int64 = 3_600_000
    ) {
        self.store = store
        verifier = PasswordVerifier(
            clock: clock, cost: cost, limits: limits, width: width, cacheCapacity: cacheCapacity, cacheTime: cacheTime)
    }

    /// Hashes a new password on a separate thread.
    ///
    /// - Parameter old: The current hash. It is returned if the password is the same, so that existing sessions do not end.
    /// - Throws: ``AccessError`` `badRequest` for an empty or too long password, `busy`.
    package func hash(_ password: String, replacing old: PasswordHash? = nil) async throws -> PasswordHash {
        try await verifier.hash(password, replacing: old)
    }

    /// The user with this name and password.
    ///
    /// - Parameter address: The client's address, for the limits on wrong passwords.
    /// - Throws: ``AccessError`` `invalidLogin`, `tooManyAttempts`, `busy`; errors of the store.
    package func login(name: String, password: String, address: String) async throws -> User {
        let user = try await Accounts(store).user(name).flatMap { $0.isGuest || $0.isDisabled ? nil : $0 }
        let hash = user?.passwordHash
        let isFresh = try await verifier.verify(name: name, password: password, against: hash, address: address)
        guard let user, let hash else { throw AccessError(.invalidLogin, "Invalid login") }
        return isFresh && hash.isOutdated(verifier.cost) ? await upgrade(user, password) : user
    }

    /// Replaces the hash with one of the current function and cost. If this fails, the next login tries again.
    private func upgrade(_ user: User, _ password: String) async -> User {
        // Another login may have upgraded the hash already.
        guard let found = try? await Accounts(store).user(user.name), found.passwordHash == user.passwordHash,
            let new = try? await verifier.hash(password)
        else { return user }
        let upgraded = try? await store.write { transaction -> User? in
            guard let record = try transaction.principal(.user(user.name)) else { return nil }
            var current = try User(record)
            // A password set in the meantime stays.
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
