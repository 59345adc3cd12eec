/// Who may log in at the admin port: `adminAuth` of the configuration.
public struct AdminAuthConfiguration: Hashable, Sendable {
    /// Somebody with a name and a password.
    public struct User: Hashable, Sendable {
        public var role: AdminRole
        public var password: ConfiguredAccount.Password

        public init(role: AdminRole, password: ConfiguredAccount.Password) {
            self.role = role
            self.password = password
        }
    }

    /// By name.
    public var users: [String: User] = [:]

    /// The roles of those who show a client certificate, by the common name of its subject.
    public var certificates: [String: AdminRole] = [:]

    public init() {}
}
