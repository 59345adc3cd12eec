package import Storage

/// The users and roles of one database.
package struct Accounts: Sendable {
    private let store: any Store

    package init(_ store: any Store) {
        self.store = store
    }

    /// The user with this name, including the guest under ``User/guestName``; `nil` if there is none.
    package func user(_ name: String) async throws -> User? {
        try await store.read { try $0.principal(.user(name)).map { try User($0) } }
    }

    /// The user with this email; `nil` if there is none.
    package func user(email: String) async throws -> User? {
        try await store.read { try $0.user(email: email).map { try User($0) } }
    }

    /// The names of users with this email, at most `limit`.
    package func userNames(email: String, limit: Int) async throws -> [String] {
        try await store.read { try $0.userNames(email: email, limit: limit) }
    }

    /// The account of a user or role; `nil` if there is none.
    package func account(_ grantee: Grantee) async throws -> Account? {
        try await store.read { try Account(grantee, in: $0) }
    }

    /// The names of all users or roles, in byte order, except for the guest.
    package func names(_ kind: PrincipalKind) async throws -> [String] {
        try await all(kind) { $0.grantee.name }
    }

    /// Users in the byte order of their names, at most `limit`, except for the guest.
    package func users(limit: Int? = nil) async throws -> [User] {
        try await all(.user, limit: limit) { try User($0) }
    }

    /// Creates or changes a user or role; see ``AccountEditor/put(_:_:replacing:isMoving:)``.
    @discardableResult
    package func put(_ grantee: Grantee, _ change: AccountChange, replacing: Bool = true) async throws -> Bool {
        try await store.write { try AccountEditor($0).put(grantee, change, replacing: replacing) }
    }

    /// Admits a user whom a login verifier has authenticated; see ``AccountEditor/admit(_:passwordHash:)``. Most logins change nothing and write
    /// nothing.
    package func admit(_ match: AccountMatch, passwordHash: PasswordHash? = nil) async throws -> User {
        let known = try await store.read { snapshot -> User? in
            let admission = try Admission(match, passwordHash: passwordHash, in: snapshot)
            return admission.changesNothing ? admission.user : nil
        }
        if let known { return known }
        return try await store.write { try AccountEditor($0).admit(match, passwordHash: passwordHash) }
    }

    /// Deletes a user or role; see ``AccountEditor/remove(_:)``.
    package func remove(_ grantee: Grantee) async throws {
        try await store.write { try AccountEditor($0).remove(grantee) }
    }

    /// Ends all sessions of a user.
    package func endSessions(of name: String) async throws {
        try await store.write { try AccountEditor($0).endSessions(of: name) }
    }

    /// Applies the guest's configuration; see ``AccountEditor/configureGuest(isEnabled:channels:)``.
    package func configureGuest(isEnabled: Bool, channels: Set<String>) async throws {
        try await store.write { try AccountEditor($0).configureGuest(isEnabled: isEnabled, channels: channels) }
    }

    /// Reads in steps, so that no snapshot is open for long.
    private func all<Value: Sendable>(
        _ kind: PrincipalKind, limit: Int? = nil, _ make: @escaping @Sendable (PrincipalRecord) throws -> Value
    ) async throws -> [Value] {
        var result: [Value] = []
        var last = ""
        while result.count < limit ?? .max {
            let after = last
            let (values, end, isLast) = try await store.read { snapshot in
                let records = try snapshot.principals(kind, after: after, limit: 1000)
                let listed = records.filter { $0.grantee != .user(User.guestName) }
                return (try listed.map(make), records.last?.grantee.name ?? after, records.count < 1000)
            }
            result += values
            if isLast { break }
            last = end
        }
        return limit.map { Array(result.prefix($0)) } ?? result
    }
}
