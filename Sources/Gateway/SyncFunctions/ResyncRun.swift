import Documents
import Storage

/// A run that has sync functions judge all documents of some collections anew: the head of its journal.
public struct ResyncRun: Sendable, Equatable {
    public enum State: String, Sendable {
        case running
        /// Somebody has stopped it. It goes on where it was when it is started again.
        case stopped
        case completed
        /// Something went wrong; ``ResyncRun/lastError`` says what. It goes on where it was when it is started again.
        case error
    }

    /// Names the run: a UUID.
    public let id: String

    /// Milliseconds since 1970.
    public internal(set) var started: Int64
    public internal(set) var state: State

    /// What it covers.
    public let collections: [CollectionName]

    /// Documents that were looked at.
    public internal(set) var processed = 0

    /// Documents whose channels or grants turned out to be others than before.
    public internal(set) var changed = 0

    /// Why it failed; empty if it did not.
    public internal(set) var lastError = ""

    /// Whether documents come into their channels where they were written, and nobody is told of it.
    let isAsWritten: Bool

    /// What it has yet to go through; the first is being gone through.
    var remaining: [CollectionKey]

    /// The last document of that collection that was looked at.
    var cursor = DocumentKey(0)

    /// The function of that collection by which those before the cursor were judged.
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

    /// Whether the journal says that nobody else has gone on with it, or stopped it.
    func isAtSamePlace(as other: ResyncRun?) -> Bool {
        guard let other else { return false }
        return id == other.id && remaining == other.remaining && cursor == other.cursor && other.state == .running
    }
}

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
