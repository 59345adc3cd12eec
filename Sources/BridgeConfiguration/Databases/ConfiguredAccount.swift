package import Access
import Authentication
package import Gateway
package import Storage

/// A user or role in the configuration file. A start creates it if it is missing; afterwards administrators manage it in the store.
package struct ConfiguredAccount: Sendable, Hashable {
    package enum Password: Sendable, Hashable {
        case text(Secret)
        case hash(PasswordHash)
    }

    /// The shortest password that can be set on the admin port, in bytes.
    package static let minimumPassword = 3

    package var grantee: Grantee

    /// The channels in the default collection and in every collection that is visible to legacy clients.
    package var channels: Set<String> = []

    /// The channels in single collections, which replace `channels` there.
    package var collections: [CollectionName: Set<String>] = [:]

    // Users only:

    package var roles: Set<String> = []
    package var email: String?
    package var isDisabled = false

    /// The password; `nil` if the user cannot log in by a password.
    package var password: Password?

    /// Whether the legacy upstream verifies the first login; the password is stored here afterwards.
    package var isOfUpstream = false

    init(_ grantee: Grantee) {
        self.grantee = grantee
    }
}

extension ConfiguredAccount {
    /// Reads a database's `users` or `roles`.
    ///
    /// - Parameter known: The database's collections; `nil` if they could not be parsed.
    static func all(
        _ node: ConfigurationNode, _ kind: PrincipalKind, collections known: Set<CollectionName>?
    ) throws -> [ConfiguredAccount] {
        try node.anyMembers().compactMap { name, node in
            node.read { node in
                guard kind != .user || name != User.guestName else {
                    throw node.error(.badValue, "clients without a login are configured with `guest`")
                }
                return try ConfiguredAccount(node, kind == .user ? .user(name) : .role(name), collections: known)
            }
        }
    }

    init(_ node: ConfigurationNode, _ grantee: Grantee, collections known: Set<CollectionName>?) throws {
        self.init(grantee)
        let keys = ["channels", "collections"]
        let members = try node.members(
            grantee.kind == .user ? keys + ["roles", "email", "enabled", "password", "passwordHash", "upstream"] : keys)
        channels = Set(members["channels"]?.read { try $0.texts() } ?? [])
        for (name, node) in members["collections"]?.read({ try $0.anyMembers() }) ?? [] {
            guard let collection = CollectionName(name), known?.contains(collection) ?? true, collection != .default else {
                node.refuse(.badValue, "the database has no collection `\(name)` besides the default one; add it to `collections`")
                continue
            }
            node.read { collections[collection] = Set(try $0.texts()) }
        }
        roles = Set(members["roles"]?.read { try $0.texts() } ?? [])
        email = members["email"]?.read { try $0.nonEmptyText() }
        isDisabled = !(members["enabled"]?.read { try $0.bool() } ?? true)
        password = node.read { try Self.password($0, members) } ?? nil
        isOfUpstream =
            members["upstream"]?.read { node in
                let flag = try node.bool()
                guard !flag || members["password"] == nil && members["passwordHash"] == nil else {
                    throw node.error(.contradiction, "a user with a password here does not log in at the old server; give one of them")
                }
                return flag
            } ?? false
        try checkNames(node)
    }

    private func checkNames(_ node: ConfigurationNode) throws {
        var change = AccountChange()
        change.channels = collections.values.reduce(channels) { $0.union($1) }
        change.roles = roles
        change.email = email
        do {
            try change.validate(for: grantee)
        } catch {
            throw node.error(.badValue, error.message)
        }
    }

    /// Reads the password of an account, or its hash; `nil` if it has neither.
    static func password(_ node: ConfigurationNode, _ members: [String: ConfigurationNode]) throws -> Password? {
        switch (members["password"], members["passwordHash"]) {
        case (let password?, nil): return .text(Secret(try password.nonEmptyText()))
        case (nil, let node?):
            let hash = PasswordHash(try node.text())
            guard hash.isUsable else {
                throw node.error(.badValue, "this is not the hash of a password; it begins with `$scrypt$`, `$2a$`, `$2b$` or `$2y$`")
            }
            return .hash(hash)
        case (_?, _?): throw node.error(.badValue, "`password` and `passwordHash` contradict each other; give one of them")
        case (nil, nil): return nil
        }
    }
}
