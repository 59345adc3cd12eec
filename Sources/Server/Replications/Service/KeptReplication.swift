import Documents

/// A replication of the admin port as it is kept in the store.
struct KeptReplication {
    /// Where all of them are.
    static let document = "replications"

    let description: AdminReplication
    let isWanted: Bool
    let resets: Bool

    static func body(of all: [KeptReplication]) -> [UInt8] {
        let items = all.map { kept in
            JSONValue.object([
                JSONMember("config", .object(kept.description.storedMembers)), JSONMember("running", .bool(kept.isWanted)),
                JSONMember("reset", .bool(kept.resets)),
            ])
        }
        var bytes: [UInt8] = []
        JSONValue.object([JSONMember("replications", .array(items))]).append(to: &bytes)
        return bytes
    }

    /// What was kept; what cannot be read is left out.
    static func read(_ body: [UInt8]) -> [KeptReplication] {
        let items = (try? JSONValue(body))?["replications"]?.array ?? []
        return items.compactMap { item in
            guard let config = item["config"], let id = config["replication_id"]?.string else { return nil }
            var description = AdminReplication(id: id)
            guard (try? description.merge(config)) != nil else { return nil }
            return KeptReplication(
                description: description, isWanted: item["running"]?.bool ?? true, resets: item["reset"]?.bool ?? false)
        }
    }
}
