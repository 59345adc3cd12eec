import Access
import BridgeConfiguration
import Documents
import Gateway
import Storage

/// A user or role in Sync Gateway's JSON, with its order of members.
struct AccountOutput {
    private let account: Account
    private let database: Database

    init(_ account: Account, in database: Database) {
        self.account = account
        self.database = database
    }

    var json: JSONValue {
        var members = [JSONMember("name", .string(account.grantee.name))]
        append("admin_channels", account.given.channels, to: &members)
        if !collections.isEmpty { members.append(JSONMember("collection_access", .object(collections))) }
        if let user = account.user {
            members += Self.details(user)
            append("admin_roles", account.given.roles, to: &members)
        }
        members.append(JSONMember("all_channels", Self.list((account.access[.default] ?? .publicOnly).names)))
        append("roles", account.roles, to: &members)
        return .object(members)
    }

    /// A user in a list: `{"name","email","disabled"}`.
    static func summary(_ user: User) -> JSONValue {
        .object([JSONMember("name", .string(user.name))] + details(user))
    }

    private static func details(_ user: User) -> [JSONMember] {
        [JSONMember("email", .string(user.email ?? "")), JSONMember("disabled", .bool(user.isDisabled))]
    }

    /// The access to each named collection, by scope. `admin_channels` is present if an administrator has set it for the collection, even
    /// to an empty list.
    private var collections: [JSONMember] {
        var scopes: [JSONMember] = []
        let named = database.collectionRecords.filter { $0.key != .default }
        for scope in Set(named.map(\.scope)).sorted() {
            var members: [JSONMember] = []
            for collection in named.filter({ $0.scope == scope }).sorted(by: { $0.name < $1.name }) {
                var access: [JSONMember] = []
                if let given = account.given.collections[collection.key] { access.append(JSONMember("admin_channels", Self.list(given))) }
                access.append(
                    JSONMember("all_channels", Self.list((account.access[collection.key] ?? .publicOnly).names)))
                members.append(JSONMember(collection.name, .object(access)))
            }
            scopes.append(JSONMember(scope, .object(members)))
        }
        return scopes
    }

    /// Adds a list. Empty lists are omitted, as in Sync Gateway.
    private func append(_ key: String, _ texts: Set<String>, to members: inout [JSONMember]) {
        if !texts.isEmpty { members.append(JSONMember(key, Self.list(texts))) }
    }

    private static func list(_ texts: Set<String>) -> JSONValue {
        .array(texts.sorted().map { .string($0) })
    }
}
