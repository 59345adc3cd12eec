public import Access
public import Gateway
public import Storage

/// A user or role of the configuration file. It is made at the first start that finds it missing; from then on it is the administrators'.
public struct ConfiguredAccount: Sendable, Hashable {
    public enum Password: Sendable, Hashable {
        case text(Secret)
        case hash(PasswordHash)
    }

    public var grantee: Grantee

    /// Of the default collection, and of every collection that legacy clients see.
    public var channels: Set<String> = []

    /// Of single collections, in place of `channels` there.
    public var collections: [CollectionName: Set<String>] = [:]

    // The rest is for users alone.

    public var roles: Set<String> = []
    public var email: String?
    public var isDisabled = false

    /// `nil` for those who cannot log in by a password.
    public var password: Password?

    /// Whether the first login is checked at the legacy upstream, and known here from then on.
    public var isOfUpstream = false

    init(_ grantee: Grantee) {
        self.grantee = grantee
    }

    /// What is to be written.
    ///
    /// - Parameter database: has the collections, which the configuration has been checked for.
    func change(in database: Database, passwords: PasswordChecker) async throws -> AccountChange {
        var change = AccountChange()
        change.channels = channels
        for (name, channels) in collections {
            if let key = database.collectionKey(name) { change.collections[key] = channels }
        }
        guard grantee.kind == .user else { return change }
        change.roles = roles
        change.email = email
        change.isDisabled = isDisabled
        if isOfUpstream { change.isOfUpstream = true }
        switch password {
        case .text(let secret): change.passwordHash = try await passwords.hash(secret.revealed)
        case .hash(let hash): change.passwordHash = hash
        case nil: break
        }
        return change
    }
}

extension RunningDatabase {
    /// Makes the users and roles of the configuration file that are missing.
    func bringAccounts() async throws {
        let accounts = served.accounts
        guard !accounts.isEmpty else { return }
        let missing = try await store.read { try AccountEditor.missing(of: accounts.map(\.grantee), in: $0) }
        var changes: [(grantee: Grantee, change: AccountChange)] = []
        for account in accounts {
            // Nobody's password is hashed in vain: that takes its time.
            let change =
                missing.contains(account.grantee)
                ? try await account.change(in: database, passwords: access.passwords) : AccountChange()
            changes.append((account.grantee, change))
        }
        let all = changes
        try await store.write { try AccountEditor($0).bring(all) }
    }
}
