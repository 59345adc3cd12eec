import Access
import Authentication
import Gateway
import Storage

/// Warns of inconsistent users, roles and channels. They are not errors, because the store may have other users and roles.
struct AccountRules {
    private let database: ServerConfiguration.ServedDatabase
    private let members: [String: ConfigurationNode]
    private let users: [String: ConfigurationNode]
    private let roles: [String: ConfigurationNode]
    private let functions: [(node: ConfigurationNode, calls: ScriptCalls)]

    /// Whether each collection has a sync function, so that only these functions assign documents to channels.
    private let isDecidedBySyncFunctions: Bool

    init(database: ServerConfiguration.ServedDatabase, members: [String: ConfigurationNode], plan: RoutePlan) {
        self.database = database
        self.members = members
        func accounts(_ key: String) -> [String: ConfigurationNode] {
            Dictionary((try? members[key]?.anyMembers()) ?? []) { first, _ in first }
        }
        users = accounts("users")
        roles = accounts("roles")
        functions = database.configuration.collections.compactMap { collection in
            guard let source = collection.syncFunction, let node = plan.functionNodes[collection.name] else { return nil }
            return (node, ScriptCalls(source))
        }
        isDecidedBySyncFunctions = functions.count == plan.names.count
    }

    func check() {
        let users = database.accounts.filter { $0.grantee.kind == .user }
        let roles = database.accounts.filter { $0.grantee.kind == .role }
        for user in users { check(user, roles: Set(roles.map(\.grantee.name))) }
        checkChannelsOfAccounts()
        // Without users in the file, users come from elsewhere, and they may have any roles and channels.
        guard !users.isEmpty, !comesFromElsewhere else { return }
        let given = texts("role", 1).map { $0.map { $0.hasPrefix("role:") ? String($0.dropFirst(5)) : $0 } }
        let held = given.map { users.reduce(into: Set($0)) { $0.formUnion($1.roles) } }
        for role in roles where held.map({ !$0.contains(role.grantee.name) }) ?? false {
            self.roles[role.grantee.name]?.warn(
                .strayRole, "no user has the role `\(role.grantee.name)`: no user of the file names it, and no sync function grants it")
        }
        checkDemands(roles: held)
    }

    /// Whether logins assign roles and channels that the file does not name.
    private var comesFromElsewhere: Bool {
        let authenticators = database.authenticators
        return authenticators.upstream != nil || authenticators.oidc.contains { $0.rolesClaim != nil || $0.channelsClaim != nil }
    }

    /// The texts in the sync functions' calls of a function; `nil` if a call's arguments are unknown.
    private func texts(_ name: String, _ argument: Int?) -> Set<String>? {
        functions.reduce(into: Set<String>?([])) { result, each in
            guard let more = each.calls.texts(of: name, argument: argument) else { return result = nil }
            result?.formUnion(more)
        }
    }

    private func check(_ user: ConfiguredAccount, roles: Set<String>) {
        let node = users[user.grantee.name]
        for item in (try? node?["roles"]?.items()) ?? [] {
            guard let role = try? item.text(), !roles.contains(role) else { continue }
            item.warn(.strayRole, "the file defines no role `\(role)`; it has no effect until it is created on the admin port")
        }
        if user.isOfUpstream, database.authenticators.upstream == nil {
            (node?["upstream"] ?? node)?.refuse(
                .contradiction, "the user can never log in: name the old server as `authenticators.upstream`, or give a password")
        }
        if case .text(let password) = user.password,
            (1..<ConfiguredAccount.minimumPassword).contains(password.revealed.utf8.count)
        {
            (node?["password"] ?? node)?.warn(
                .weakPassword, "the password is shorter than \(ConfiguredAccount.minimumPassword) bytes; the admin port would refuse it")
        }
    }

    /// Warns of granted channels that no document is ever in.
    private func checkChannelsOfAccounts() {
        guard isDecidedBySyncFunctions, let filled = texts("channel", nil) else { return }
        var lists = [members["guest"]?["channels"]]
        for node in Array(users.values) + roles.values {
            lists.append(node["channels"])
            lists += ((try? node["collections"]?.anyMembers()) ?? []).map(\.1)
        }
        for item in lists.flatMap({ (try? $0?.items()) ?? [] }) {
            guard let channel = try? item.text(), !filled.contains(channel), channel != "*", channel != "!" else { continue }
            item.warn(.strayChannel, "no sync function puts a document into the channel `\(channel)`")
        }
    }

    /// Warns of channels and roles that sync functions require and that no user can have.
    private func checkDemands(roles: Set<String>?) {
        var given = Set(database.configuration.guest.channels)
        for account in database.accounts { given = account.collections.values.reduce(given.union(account.channels)) { $0.union($1) } }
        let byFunctions = texts("access", 1)
        for (node, calls) in functions {
            for role in (roles == nil ? [] : calls.texts(of: "requireRole", argument: 0) ?? []).sorted() {
                guard roles?.contains(role) == false else { continue }
                node.warn(.strayRole, "the function requires the role `\(role)`, which nothing in the file grants")
            }
            guard let byFunctions, !given.contains("*") else { continue }
            let used = (calls.texts(of: "requireAccess", argument: 0) ?? []).union(calls.texts(of: "channel", argument: nil) ?? [])
            for channel in used.sorted()
            where !given.contains(channel) && !byFunctions.contains(channel) && channel != "!" && channel != "*" {
                node.warn(.strayChannel, "the function uses the channel `\(channel)`, which nothing in the file grants")
            }
        }
    }
}
