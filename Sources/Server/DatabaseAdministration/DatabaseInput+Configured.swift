import Authentication
import BridgeConfiguration
import Documents
import Gateway
import HTTPTypes
import ReplicationService

extension DatabaseInput {
    /// The input of a database of the configuration file, as far as Sync Gateway's format can express it.
    init(_ configuration: DatabaseConfiguration) throws(AdminError) {
        var members = Self.members(of: configuration.collections)
        members.append(JSONMember("allow_conflicts", .bool(configuration.conflicts != .refuse)))
        members.append(JSONMember("revs_limit", .number(String(configuration.limits.revisionDepth))))
        if configuration.deltaSync { members.append(JSONMember("delta_sync", .object([JSONMember("enabled", .bool(true))]))) }
        members.append(
            JSONMember(
                "guest",
                .object([
                    JSONMember("disabled", .bool(!configuration.guest.isEnabled)),
                    JSONMember("admin_channels", .array(configuration.guest.channels.map { .string($0) })),
                ])))
        try self.init(.object(members), name: configuration.name)
    }

    /// The input with another sync function for one collection: empty for the default function, `nil` for none.
    func replacing(syncFunction source: String?, of name: CollectionName) throws(AdminError) -> DatabaseInput {
        var collections = configuration.collections
        if let index = collections.firstIndex(where: { $0.name == name }) {
            collections[index].syncFunction = source
        } else {
            collections.append(CollectionConfiguration(name: name, syncFunction: source))
        }
        let others = storedMembers.filter { $0.key != "sync" && $0.key != "scopes" }
        return try DatabaseInput(.object(others + Self.members(of: collections)), name: configuration.name)
    }

    /// The members `sync` and `scopes` for these collections.
    private static func members(of collections: [CollectionConfiguration]) -> [JSONMember] {
        var members: [JSONMember] = []
        if let source = collections.first(where: { $0.name == .default })?.syncFunction {
            members.append(JSONMember("sync", .string(source)))
        }
        let named = collections.filter { $0.name != .default }
        let scopes = Set(named.map(\.name.scope)).sorted().map { scope in
            let collections = named.filter { $0.name.scope == scope }.sorted { $0.name < $1.name }.map { collection in
                JSONMember(collection.name.name, .object(collection.syncFunction.map { [JSONMember("sync", .string($0))] } ?? []))
            }
            return JSONMember(scope, .object([JSONMember("collections", .object(collections))]))
        }
        if !scopes.isEmpty { members.append(JSONMember("scopes", .object(scopes))) }
        return members
    }

    /// Applies an input from the admin port to the configuration of a database of the file. Settings that Sync Gateway's format cannot
    /// express stay. So do collections that are not named, because the store has them.
    ///
    /// - Parameter keepsOmitted: whether settings without a member in the input stay.
    func applied(to served: ServerConfiguration.ServedDatabase, keepsOmitted: Bool = false) -> ServerConfiguration.ServedDatabase {
        var served = served
        let given = Set(storedMembers.map(\.key))
        let before = served.configuration
        served.configuration.collections = configuration.collections.map { collection in
            var collection = collection
            collection.isHidden = before.collections.first { $0.name == collection.name }?.isHidden
            return collection
        }
        let named = Set(configuration.collections.map(\.name))
        served.configuration.collections += before.collections.filter { !named.contains($0.name) }.map {
            CollectionConfiguration(name: $0.name, isHidden: $0.isHidden)
        }
        // If `allow_conflicts` is unchanged, the file's setting is more precise.
        if given.contains("allow_conflicts"), (before.conflicts == .refuse) != (configuration.conflicts == .refuse) {
            served.configuration.conflicts = configuration.conflicts
            served.configuration.conflictResolver = configuration.conflictResolver
        }
        if given.contains("revs_limit") { served.configuration.limits.revisionDepth = configuration.limits.revisionDepth }
        if !keepsOmitted || given.contains("delta_sync") { served.configuration.deltaSync = configuration.deltaSync }
        if given.contains("session_cookie_name") { served.access.cookieName = access.cookieName }
        if given.contains("allow_empty_password") { served.access.allowsEmptyPasswords = access.allowsEmptyPasswords }
        if given.contains("session_cookie_secure") { served.access.isCookieSecure = access.isCookieSecure }
        if given.contains("send_www_authenticate_header") { served.access.sendsChallenge = access.sendsChallenge }
        if given.contains("cors") { served.access.cors = access.cors }
        if given.contains("google") { served.authenticators.google = authenticators.google }
        if given.contains("oidc") { served.authenticators.oidc = authenticators.oidc }
        if !keepsOmitted || guest != nil { served.configuration.guest = configuration.guest }
        return served
    }
}
