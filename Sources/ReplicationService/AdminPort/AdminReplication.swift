import BridgeConfiguration
import Documents
import HTTPTypes

/// A replication in the format of Sync Gateway's `ReplicationConfig`, 2.8 to 3.x. Unknown members are ignored, as in Sync Gateway.
struct AdminReplication: Hashable, Sendable {
    /// The known members, in Sync Gateway's order.
    private static let keys = [
        "remote", "collections_enabled", "collections_local", "collections_remote", "username", "password", "remote_username",
        "remote_password", "direction", "conflict_resolution_type", "custom_conflict_resolver", "purge_on_removal", "enable_delta_sync",
        "prefer_versions",
        "max_backoff_time", "initial_state", "state", "continuous", "filter", "query_params", "adhoc", "batch_size", "run_as",
    ]

    private static let defaults: [String: JSONValue] = [
        "conflict_resolution_type": .string("default"), "max_backoff_time": .number("5"), "initial_state": .string("running"),
        "continuous": .bool(false), "batch_size": .number("200"),
    ]

    let id: String
    private var members: [String: JSONValue] = [:]

    init(id: String) {
        self.id = id
    }

    /// Merges the members of a request. Members that are absent or `null` keep their value.
    mutating func merge(_ json: JSONValue) throws(AdminError) {
        guard let given = json.members else { throw AdminError(.badRequest, "Bad JSON: a replication is an object") }
        for member in given where member.value != .null && Self.keys.contains(member.key) {
            members[member.key] = member.value
        }
    }

    subscript(key: String) -> JSONValue? { members[key] }

    /// Whether it is removed when it has finished.
    var isAdHoc: Bool { members["adhoc"]?.bool == true }

    var startsStopped: Bool { (members["initial_state"] ?? members["state"])?.string == "stopped" }

    /// All members, including secrets.
    var storedMembers: [JSONMember] {
        [JSONMember("replication_id", .string(id))] + Self.keys.compactMap { key in members[key].map { JSONMember(key, $0) } }
    }

    /// The members to show: without passwords.
    var json: [JSONMember] {
        [JSONMember("replication_id", .string(id))]
            + Self.keys.compactMap { key in (members[key] ?? Self.defaults[key]).map { JSONMember(key, Self.redacted($0, key)) } }
    }

    private static func redacted(_ value: JSONValue, _ key: String) -> JSONValue {
        switch key {
        case "password", "remote_password": return .string("****")
        case "remote":
            guard let text = value.string, let address = try? RemoteAddress(text) else { return .string("****") }
            return .string(address.description)
        default: return value
        }
    }
}

/// A replication of the admin port in its stored form.
struct StoredReplication {
    /// The ID of the local document that has all of them.
    static let document = "replications"

    let description: AdminReplication
    let isWanted: Bool
    let resets: Bool

    static func body(of all: [StoredReplication]) -> [UInt8] {
        let items = all.map { replication in
            JSONValue.object([
                JSONMember("config", .object(replication.description.storedMembers)), JSONMember("running", .bool(replication.isWanted)),
                JSONMember("reset", .bool(replication.resets)),
            ])
        }
        var bytes: [UInt8] = []
        JSONValue.object([JSONMember("replications", .array(items))]).append(to: &bytes)
        return bytes
    }

    /// Reads the stored replications. Skips unreadable ones.
    static func read(_ body: [UInt8]) -> [StoredReplication] {
        let items = (try? JSONValue(body))?["replications"]?.array ?? []
        return items.compactMap { item in
            guard let config = item["config"], let id = config["replication_id"]?.string else { return nil }
            var description = AdminReplication(id: id)
            guard (try? description.merge(config)) != nil else { return nil }
            return StoredReplication(
                description: description, isWanted: item["running"]?.bool ?? true, resets: item["reset"]?.bool ?? false)
        }
    }
}
