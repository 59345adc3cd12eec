import Access

extension AdminAuthConfiguration {
    /// Reads `adminAuth`.
    ///
    /// - Parameter listen: says whether clients are asked for certificates.
    init(_ node: ConfigurationNode, listen: ListenConfiguration) throws {
        self.init()
        let members = try node.members(["users", "certificates"])
        for (name, node) in try members["users"]?.anyMembers() ?? [] {
            // A colon ends the name in Basic credentials.
            guard !name.isEmpty, !name.contains(":"), name.utf8.count <= 256 else {
                throw node.error(.badValue, "`\(name)` cannot be a login's name; it has 1 to 256 bytes and no colon")
            }
            users[name] = try User(node)
        }
        for (name, node) in try members["certificates"]?.anyMembers() ?? [] {
            certificates[name] = try node.choice(AdminRole.self)
        }
        guard !users.isEmpty || !certificates.isEmpty else {
            throw node.error(.missingKey, "nobody could log in; name somebody under `users` or `certificates`, or leave `adminAuth` away")
        }
        if let node = members["certificates"], !certificates.isEmpty, listen.adminTLS?.clientCA == nil {
            throw node.error(
                .missingKey, "clients are asked for certificates only with `listen.adminTLS.clientCA`, the authority that signs them")
        }
    }
}

extension AdminAuthConfiguration.User {
    fileprivate init(_ node: ConfigurationNode) throws {
        let members = try node.members(["role", "password", "passwordHash"])
        guard let role = members["role"] else {
            let names = AdminRole.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw node.error(.missingKey, "the user needs a `role`: \(names)")
        }
        guard let password = try ConfiguredAccount.password(node, members) else {
            throw node.error(.missingKey, "the user needs a `password` or a `passwordHash`")
        }
        if case .text(let secret) = password, secret.revealed.utf8.count > PasswordVerifier.maximumLength {
            throw node.error(.badValue, "a password has at most \(PasswordVerifier.maximumLength) bytes")
        }
        self.init(role: try role.choice(AdminRole.self), password: password)
    }
}
