import Access
import Authentication
import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import ReplicationService
import Storage

/// A user or role in Sync Gateway's JSON, as an administrator writes it. Unknown members are ignored, as in Sync Gateway.
struct AccountInput {
    private(set) var name: String?
    private(set) var password: String?
    private(set) var change = AccountChange()

    /// Computed, read-only members, by collection. Scripts send them back as they have read them.
    private var seen: [CollectionKey: Set<String>] = [:]
    private var seenRoles: Set<String>?

    init(_ json: JSONValue, _ kind: PrincipalKind, in database: Database) throws {
        guard let members = json.members else { throw AdminError(.badRequest, "Bad JSON: a \(kind) is an object") }
        for member in members where member.value != .null {
            let (key, value) = (member.key, member.value)
            switch (key, kind) {
            case ("name", _): name = try Self.text(value, key)
            case ("admin_channels", _): change.channels = try Self.texts(value, key)
            case ("all_channels", _): seen[.default] = try Self.texts(value, key)
            case ("collection_access", _): try readCollections(value, database)
            case ("email", .user): change.email = try Self.text(value, key)
            case ("password", .user): password = try Self.text(value, key)
            case ("passwordhash_bcrypt", .user): change.passwordHash = try Self.hash(value, key)
            case ("disabled", .user):
                guard let flag = value.bool else { throw Self.mismatch(key, "true or false") }
                change.isDisabled = flag
            case ("admin_roles", .user): change.roles = try Self.texts(value, key)
            case ("roles", .user): seenRoles = try Self.texts(value, key)
            default: break
            }
        }
    }

    /// - Throws: ``AdminError`` if the input changes a computed member.
    func checkReadOnly(_ account: Account?, in database: Database) throws(AdminError) {
        for (collection, channels) in seen where !channels.isEmpty {
            guard channels == (account?.access[collection] ?? .publicOnly).names else {
                throw AdminError(
                    .badRequest, collection == .default ? "all_channels is read-only" : "collection_access.all_channels is read-only")
            }
        }
        if let seenRoles, !seenRoles.isEmpty, seenRoles != account?.roles ?? [] { throw AdminError(.badRequest, "roles is read-only") }
    }

    private mutating func readCollections(_ json: JSONValue, _ database: Database) throws {
        guard let scopes = json.members else { throw Self.mismatch("collection_access", "an object of scopes") }
        for scope in scopes where scope.value != .null {
            guard let collections = scope.value.members else {
                throw Self.mismatch("collection_access", "an object of scopes and collections")
            }
            for member in collections {
                let name = CollectionName(scope: scope.key, name: member.key)
                guard let key = database.collectionKey(name) else {
                    throw AdminError(.notFound, "keyspace specified in collection_access (\(database.name).\(name)) not found")
                }
                try readCollection(member.value, key)
            }
        }
    }

    private mutating func readCollection(_ json: JSONValue, _ key: CollectionKey) throws {
        guard json != .null else {
            if key != .default { change.collections[key] = .some(nil) }
            return
        }
        guard json.members != nil else { throw Self.mismatch("collection_access", "an object of scopes and collections") }
        if let channels = json["admin_channels"], channels != .null {
            let channels = try Self.texts(channels, "collection_access.admin_channels")
            // The default collection's channels are stored only with the account.
            if key == .default { change.channels = channels } else { change.collections[key] = channels }
        }
        if let channels = json["all_channels"], channels != .null {
            seen[key] = try Self.texts(channels, "collection_access.all_channels")
        }
    }

    /// A password hash in the form of Sync Gateway's user documents: bcrypt's text in base64. It lets accounts move here with their
    /// passwords.
    private static func hash(_ value: JSONValue, _ key: String) throws(AdminError) -> PasswordHash {
        let text = try text(value, key)
        let decoded = (try? Base64.decode(text.utf8)).flatMap { String(validating: $0, as: UTF8.self) }
        let hash = PasswordHash(text.utf8.first == UInt8(ascii: "$") ? text : decoded ?? "")
        guard hash.isUsable else { throw mismatch(key, "a bcrypt hash of cost 4 to 14, in base64") }
        return hash
    }

    private static func text(_ value: JSONValue, _ key: String) throws(AdminError) -> String {
        guard let text = value.string else { throw mismatch(key, "a text") }
        return text
    }

    private static func texts(_ value: JSONValue, _ key: String) throws(AdminError) -> Set<String> {
        guard let values = value.array else { throw mismatch(key, "a list of strings") }
        var texts: Set<String> = []
        for value in values { texts.insert(try text(value, key)) }
        return texts
    }

    private static func mismatch(_ key: String, _ expected: String) -> AdminError {
        AdminError(.badRequest, "Bad JSON: \"\(key)\" has to be \(expected)")
    }
}
