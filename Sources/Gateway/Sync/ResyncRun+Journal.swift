import Documents
import Storage

/// How a run stands in the store: one setting, as JSON.
extension ResyncRun {
    private static var setting: String { "resync" }

    /// The last run; `nil` if there was none.
    static func stored(in snapshot: any StoreSnapshot) throws -> ResyncRun? {
        try snapshot.setting(setting).map { try ResyncRun(JSONValue(Array($0.utf8))) }
    }

    func store(in transaction: any StoreTransaction) throws {
        var bytes: [UInt8] = []
        json.append(to: &bytes)
        try transaction.set(String(decoding: bytes, as: UTF8.self), forSetting: Self.setting)
    }

    private init(_ json: JSONValue) throws {
        guard let id = json["id"]?.string, let started = json["started"]?.int, let state = json["state"]?.string.flatMap(State.init),
            let names = json["collections"]?.array, let remaining = json["remaining"]?.array, let cursor = json["cursor"]?.int
        else {
            throw GatewayError(.unavailable, "The store's record of the last resync cannot be read; run `dualgauge check`")
        }
        self.init(
            id: id, started: Int64(started), collections: names.compactMap { $0.string.flatMap { CollectionName($0) } },
            remaining: remaining.compactMap { $0.int.map { CollectionKey(Int64($0)) } }, state: state,
            isAsWritten: json["asWritten"]?.bool ?? false)
        self.cursor = DocumentKey(Int64(cursor))
        processed = json["processed"]?.int ?? 0
        changed = json["changed"]?.int ?? 0
        fingerprint = json["fingerprint"]?.string ?? ""
        lastError = json["error"]?.string ?? ""
    }

    private var json: JSONValue {
        .object([
            JSONMember("id", .string(id)), JSONMember("started", .number(String(started))), JSONMember("state", .string(state.rawValue)),
            JSONMember("collections", .array(collections.map { .string($0.description) })),
            JSONMember("remaining", .array(remaining.map { .number(String($0.value)) })),
            JSONMember("cursor", .number(String(cursor.value))), JSONMember("fingerprint", .string(fingerprint)),
            JSONMember("processed", .number(String(processed))), JSONMember("changed", .number(String(changed))),
            JSONMember("error", .string(lastError)), JSONMember("asWritten", .bool(isAsWritten)),
        ])
    }
}
