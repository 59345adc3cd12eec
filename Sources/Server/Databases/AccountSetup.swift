import Access
import Documents
import HTTPTypes
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
