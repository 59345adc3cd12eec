import Access
import Authentication

/// The accounts of the admin port: `adminAuth` of the configuration.
package struct AdminAuthConfiguration: Hashable, Sendable {
    /// An administrator with a name and a password.
    package struct User: Hashable, Sendable {
        package var role: AdminRole
        package var password: ConfiguredAccount.Password

        package init(role: AdminRole, password: ConfiguredAccount.Password) {
            self.role = role
            self.password = password
        }
    }

    /// The users by name.
    package var users: [String: User] = [:]

    /// The roles of client certificates, by the common name of the certificate's subject.
    package var certificates: [String: AdminRole] = [:]

    package init() {}
}

/// The permissions of an administrator on the admin port. Each role includes the permissions of the roles before it.
package enum AdminRole: String, CaseIterable, Comparable, Hashable, Sendable {
    /// Reads everything and changes nothing.
    case readOnly = "read-only"

    /// Operates the bridge: cutover, migrations, replications, sessions, logs.
    case `operator`

    /// May do everything.
    case administrator

    package static func < (a: AdminRole, b: AdminRole) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .readOnly: 0
        case .operator: 1
        case .administrator: 2
        }
    }
}

extension AdminAuthConfiguration {
    /// Reads `adminAuth`.
    ///
    /// - Parameter listen: the listener settings, which determine whether clients are asked for certificates.
    init(_ node: ConfigurationNode, listen: ListenConfiguration) throws {
        self.init()
        let members = try node.members(["users", "certificates"])
        let (userNodes, certificateNodes) = (try members["users"]?.anyMembers() ?? [], try members["certificates"]?.anyMembers() ?? [])
        for (name, node) in userNodes {
            // A colon ends the name in Basic credentials.
            guard !name.isEmpty, !name.contains(":"), name.utf8.count <= 256 else {
                node.refuse(.badValue, "`\(name)` cannot be a login's name; it has 1 to 256 bytes and no colon")
                continue
            }
            users[name] = node.read { try User($0) }
        }
        for (name, node) in certificateNodes {
            certificates[name] = node.read { try $0.choice(AdminRole.self) }
        }
        guard !userNodes.isEmpty || !certificateNodes.isEmpty else {
            throw node.error(.missingKey, "no login is possible; add one under `users` or `certificates`, or remove `adminAuth`")
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
