import Documents
import Storage

/// A resync of all documents of some collections: the head of its journal.
package struct ResyncRun: Sendable, Equatable {
    package enum State: String, Sendable {
        case running
        /// Stopped by request. A restart resumes it.
        case stopped
        case completed
        /// Stopped by an error; see ``ResyncRun/lastError``. A restart resumes it.
        case error
    }

    /// A UUID.
    package let id: String

    /// Milliseconds since 1970.
    package internal(set) var started: Int64
    package internal(set) var state: State

    /// The covered collections.
    package let collections: [CollectionName]

    /// The number of processed documents.
    package internal(set) var processed = 0

    /// The number of documents whose channels or grants changed.
    package internal(set) var changed = 0

    /// The error; empty if there was none.
    package internal(set) var lastError = ""

    /// Whether documents enter their channels at their own sequences, without a feed row for clients.
    let isAsWritten: Bool

    /// The remaining collections; the first is in progress.
    var remaining: [CollectionKey]

    /// The last processed document of that collection.
    var cursor = DocumentKey(0)

    /// The function with which the documents up to the cursor were evaluated.
    var fingerprint = ""

    init(
        id: String, started: Int64, collections: [CollectionName], remaining: [CollectionKey], state: State = .running,
        isAsWritten: Bool = false
    ) {
        self.id = id
        self.started = started
        self.collections = collections
        self.remaining = remaining
        self.state = state
        self.isAsWritten = isAsWritten
    }

    /// Whether the journal is unchanged: nobody else has continued or stopped the run.
    func isAtSamePlace(as other: ResyncRun?) -> Bool {
        guard let other else { return false }
        return id == other.id && remaining == other.remaining && cursor == other.cursor && other.state == .running
    }
}

/// Persists a run in the store: one setting, as JSON.
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
