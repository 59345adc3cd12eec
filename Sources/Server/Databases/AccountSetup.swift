import Access
import Authentication
import BridgeConfiguration
import Documents
import Gateway
import HTTPTypes
import ReplicationService
import Storage

/// Creates or changes the users and roles that come with a database's configuration.
struct AccountSetup {
    private let running: RunningDatabase

    init(_ running: RunningDatabase) {
        self.running = running
    }

    func apply(_ input: DatabaseInput) async throws {
        for role in input.roles { try await put(role.value, as: .role(role.key)) }
        for user in input.users { try await put(user.value, as: .user(user.key)) }
        if let guest = input.guest { try await put(guest, as: .user(User.guestName)) }
    }

    private func put(_ json: JSONValue, as grantee: Grantee) async throws {
        let input = try AccountInput(json, grantee.kind, in: running.database)
        var change = input.change
        let existing = try await running.access.accounts.account(grantee)
        let allowsNone = running.access.configuration.allowsEmptyPasswords
        if let password = input.password, !password.isEmpty || !allowsNone {
            change.passwordHash = try await running.access.passwords.hash(password, replacing: existing?.user?.passwordHash)
        } else if !allowsNone, grantee.kind == .user, grantee != .user(User.guestName), change.passwordHash == nil, existing == nil {
            throw AdminError(.badRequest, "Error creating user \(grantee.name): Empty passwords are not allowed")
        }
        try await running.access.accounts.put(grantee, change)
    }
}

extension ConfiguredAccount {
    /// The change that creates the account.
    ///
    /// - Parameter database: the database that has the collections. The configuration was validated against it.
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
    /// Creates the users and roles of the configuration file that are missing.
    func createMissingAccounts() async throws {
        let accounts = served.accounts
        guard !accounts.isEmpty else { return }
        let missing = try await store.read { try AccountEditor.missing(of: accounts.map(\.grantee), in: $0) }
        var changes: [(grantee: Grantee, change: AccountChange)] = []
        for account in accounts {
            // Hashing a password is expensive, so only missing accounts are hashed.
            let change =
                missing.contains(account.grantee)
                ? try await account.change(in: database, passwords: access.passwords) : AccountChange()
            changes.append((account.grantee, change))
        }
        let all = changes
        try await store.write { try AccountEditor($0).bring(all) }
    }
}
