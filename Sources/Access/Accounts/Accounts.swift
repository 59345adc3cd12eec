public import Storage

/// The users and roles of one database.
public struct Accounts: Sendable {
    private let store: any Store

    public init(_ store: any Store) {
        self.store = store
    }

    /// The user of this name, the guest under ``User/guestName`` included; `nil` if there is none.
    public func user(_ name: String) async throws -> User? {
        try await store.read { try $0.principal(.user(name)).map { try User($0) } }
    }

    /// The user with this email; `nil` if there is none.
    public func user(email: String) async throws -> User? {
        try await store.read { try $0.user(email: email).map { try User($0) } }
    }

    /// The names of users with this email, at most `limit`.
    public func userNames(email: String, limit: Int) async throws -> [String] {
        try await store.read { try $0.userNames(email: email, limit: limit) }
    }

    /// Everything about a user or role; `nil` if there is none.
    public func account(_ grantee: Grantee) async throws -> Account? {
        try await store.read { try Account(grantee, in: $0) }
    }

    /// Users, or roles, in the order of their names' bytes. The guest is not among them.
    public func names(_ kind: PrincipalKind) async throws -> [String] {
        try await all(kind) { $0.grantee.name }
    }

    /// Users in the order of their names' bytes, at most `limit`. The guest is not among them.
    public func users(limit: Int? = nil) async throws -> [User] {
        try await all(.user, limit: limit) { try User($0) }
    }

    /// Creates or changes a user or role; see ``AccountEditor/put(_:_:replacing:)``.
    @discardableResult
    public func put(_ grantee: Grantee, _ change: AccountChange, replacing: Bool = true) async throws -> Bool {
        try await store.write { try AccountEditor($0).put(grantee, change, replacing: replacing) }
    }

    /// Lets in whom a verifier of logins vouches for; see ``AccountEditor/admit(_:passwordHash:)``. Most logins change nothing and write nothing.
    public func admit(_ match: AccountMatch, passwordHash: PasswordHash? = nil) async throws -> User {
        let known = try await store.read { snapshot -> User? in
            let admission = try Admission(match, passwordHash: passwordHash, in: snapshot)
            return admission.changesNothing ? admission.user : nil
        }
        if let known { return known }
        return try await store.write { try AccountEditor($0).admit(match, passwordHash: passwordHash) }
    }

    /// Removes a user or role; see ``AccountEditor/remove(_:)``.
    public func remove(_ grantee: Grantee) async throws {
        try await store.write { try AccountEditor($0).remove(grantee) }
    }

    /// Ends all sessions of a user.
    public func endSessions(of name: String) async throws {
        try await store.write { try AccountEditor($0).endSessions(of: name) }
    }

    /// Gives the guest what the configuration says; see ``AccountEditor/configureGuest(isEnabled:channels:)``.
    public func configureGuest(isEnabled: Bool, channels: Set<String>) async throws {
        try await store.write { try AccountEditor($0).configureGuest(isEnabled: isEnabled, channels: channels) }
    }

    /// Reads in steps, so that no snapshot is held for long.
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
