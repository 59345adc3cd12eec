import Authentication
import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import ReplicationService

/// A database's configuration in the format of Sync Gateway's admin port, 2.x or 3.x.
struct DatabaseInput: Sendable {
    /// The supported members as given, without passwords. These are stored and shown.
    private(set) var storedMembers: [JSONMember] = []

    /// The names of settings that Sync Gateway has and the bridge ignores.
    private(set) var unused: [String] = []

    private(set) var configuration: DatabaseConfiguration
    private(set) var access = AccessConfiguration()
    private(set) var authenticators = AuthenticatorsConfiguration()
    private(set) var startsOffline = false

    /// The users and roles to create or change, each in Sync Gateway's JSON.
    private(set) var users: [JSONMember] = []
    private(set) var roles: [JSONMember] = []

    /// The guest's account; `nil` if the input does not have it.
    private(set) var guest: JSONValue?

    /// - Parameter name: the database's name, from the path.
    /// - Throws: ``AdminError`` for values of the wrong type and for unknown members, so that a misspelt `guest` is not ignored.
    init(_ json: JSONValue, name: String) throws(AdminError) {
        configuration = DatabaseConfiguration(name: name)
        guard let members = json.members else { throw AdminError(.badRequest, "Bad JSON: a database's configuration is an object") }
        for member in members where member.value != .null {
            guard try read(member) else {
                unused.append(member.key)
                continue
            }
            storedMembers.append(Self.withoutPasswords(member))
        }
        guest = guest ?? users.first { $0.key == "GUEST" }?.value
        users.removeAll { $0.key == "GUEST" }
        try readGuest()
    }

    /// The input with members replaced by those of another one.
    func overlaid(with json: JSONValue) throws(AdminError) -> DatabaseInput {
        let given = Set((json.members ?? []).map(\.key))
        return try DatabaseInput(
            .object(storedMembers.filter { !given.contains($0.key) } + (json.members ?? [])), name: configuration.name)
    }

    var json: JSONValue { .object(storedMembers) }

    /// - Returns: Whether the member is supported.
    private mutating func read(_ member: JSONMember) throws(AdminError) -> Bool {
        let (key, value) = (member.key, member.value)
        switch key {
        case "name":
            guard try Self.text(value, key) == configuration.name else {
                throw AdminError(
                    .badRequest, "When updating an existing database, the name in the URL and the body have to be the same")
            }
        case "sync": try setSyncFunction(try Self.text(value, key), of: .default)
        case "scopes": try readScopes(value)
        case "allow_conflicts": configuration.conflicts = try Self.flag(value, key) ? .keep : .refuse
        case "revs_limit":
            guard let limit = value.int, (1...10_000).contains(limit) else { throw Self.mismatch(key, "a number from 1 to 10000") }
            configuration.limits.revisionDepth = max(20, limit)
        case "delta_sync":
            let members = try Self.object(value, key)
            if let flag = members.first(where: { $0.key == "enabled" })?.value {
                configuration.deltaSync = try Self.flag(flag, "delta_sync.enabled")
            }
        case "session_cookie_name":
            // Every configuration that Sync Gateway 2.8 shows has an empty name.
            let name = try Self.text(value, key)
            guard !name.isEmpty else { break }
            guard SetCookie(name: name, value: "") != nil else { throw Self.mismatch(key, "letters, digits, `_` and `-`") }
            access.cookieName = name
        case "allow_empty_password": access.allowsEmptyPasswords = try Self.flag(value, key)
        case "session_cookie_secure": access.isCookieSecure = try Self.flag(value, key)
        case "send_www_authenticate_header": access.sendsChallenge = try Self.flag(value, key)
        case "cors": access.cors = try Self.cors(value)
        case "offline": startsOffline = try Self.flag(value, key)
        case "users": users = try Self.object(value, key)
        case "roles": roles = try Self.object(value, key)
        case "guest": guest = value
        case "google", "oidc":
            let (read, passedOver) = try Self.authenticators(member)
            authenticators.google = read.google ?? authenticators.google
            authenticators.oidc += read.oidc
            unused += passedOver
        default:
            guard GatewayImport.unusedKeys.contains(key) else {
                throw AdminError(.badRequest, "JSON Unknown Field: json: unknown field \"\(key)\": unrecognized JSON field")
            }
            return false
        }
        return true
    }

    private mutating func readScopes(_ value: JSONValue) throws(AdminError) {
        for scope in try Self.object(value, "scopes") {
            for member in try Self.object(scope.value["collections"] ?? .object([]), "scopes.\(scope.key).collections") {
                guard let name = CollectionName("\(scope.key).\(member.key)") else {
                    throw AdminError(.badRequest, "\"\(scope.key).\(member.key)\" is not the name of a collection")
                }
                if name != .default { configuration.collections.append(CollectionConfiguration(name: name)) }
                for setting in try Self.object(member.value, "scopes.\(name)") where setting.value != .null {
                    switch setting.key {
                    case "sync": try setSyncFunction(try Self.text(setting.value, "sync"), of: name)
                    case "import_filter": unused.append("scopes.\(name).import_filter")
                    default: throw AdminError(.badRequest, "JSON Unknown Field: json: unknown field \"\(setting.key)\" in scopes.\(name)")
                    }
                }
            }
        }
    }

    /// Sets a sync function. An empty text means the default function, as in Sync Gateway.
    private mutating func setSyncFunction(_ source: String, of name: CollectionName) throws(AdminError) {
        let index = configuration.collections.firstIndex { $0.name == name }
        let collection = CollectionConfiguration(name: name, syncFunction: source)
        if let index { configuration.collections[index] = collection } else { configuration.collections.append(collection) }
    }

    private mutating func readGuest() throws(AdminError) {
        guard let guest else { return }
        _ = try Self.object(guest, "guest")
        var channels: [String] = []
        for channel in guest["admin_channels"]?.array ?? [] { channels.append(try Self.text(channel, "guest.admin_channels")) }
        configuration.guest = GuestConfiguration(isEnabled: !(guest["disabled"]?.bool ?? false), channels: channels)
    }
}
