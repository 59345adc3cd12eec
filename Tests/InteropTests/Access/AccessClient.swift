import Documents
import HTTP
import Peers
import Testing

/// The user anna's client, of one generation.
struct AccessClient: Sendable {
    enum Generation: String, CaseIterable, Sendable {
        /// As Couchbase Lite 1.x: it compares revisions, and never requests a revision that it has.
        case legacy
        /// A 1.x client that handles `removed`.
        case legacyHeedingRemovals
        /// 2.x, which gets removals only as bodies.
        case modern2
        /// 3.x with auto-purge, of the unified keyspace and of a collection.
        case modern3, modern3Collection

        /// Whether it gets the loss of access to a document that it has.
        var purgesOnRevocation: Bool { self != .legacy && self != .modern2 }

        var isLegacy: Bool { self == .legacy || self == .legacyHeedingRemovals }
    }

    enum Direction: Sendable {
        case pull, push, pushPull
    }

    let generation: Generation
    let direction: Direction
    private let legacy: LegacyPeer
    private let modern: ModernPeer
    private let collection: String

    init(_ generation: Generation, _ direction: Direction, of bridge: RunningBridge) {
        self.generation = generation
        self.direction = direction
        let credentials = BasicCredentials(user: "anna", password: "pw1")
        legacy = LegacyPeer("\(bridge.url)/shop", credentials: credentials, fetchesRemoved: generation == .legacyHeedingRemovals)
        var options = ModernOptions()
        options.credentials = credentials
        options.takesRevocations = generation != .modern2
        if generation == .modern2 { options.subprotocols = ["BLIP_3+CBMobile_2"] }
        collection = generation == .modern3Collection ? "sales.orders" : ""
        modern = ModernPeer(
            "ws://127.0.0.1:\(bridge.port)/shop", collections: collection.isEmpty ? [] : [collection], options: options)
    }

    /// Edits a document on the device; its revisions are `1-1a`, `2-2a` and so on.
    func edit(_ id: String, generation number: Int = 1) async throws {
        let history = (1...number).reversed().compactMap { RevisionID("\($0)-\($0)a") }
        let revision = PeerRevision(id: id, history: history, body: Array(#"{"type":"order","by":"anna"}"#.utf8))
        if generation.isLegacy { await legacy.edit(revision) } else { await modern.edit(revision, in: collection) }
    }

    /// One replication.
    func replicate() async throws {
        guard generation.isLegacy else {
            return try await modern.replicateEdits(pushes: direction != .pull, pulls: direction != .push)
        }
        if direction != .pull { try await legacy.push() }
        if direction != .push { try await legacy.pull() }
    }

    func resetCheckpoint() async {
        await legacy.resetCheckpoint()
        await modern.resetCheckpoint()
    }

    /// Its documents: `id@revision`.
    var documents: Set<String> {
        get async {
            let held = generation.isLegacy ? await legacy.documents : await modern.documents[collection] ?? [:]
            return Set(held.map { "\($0.key.string)@\($0.value.revision)" })
        }
    }

    var purged: Set<ExactString> {
        get async { generation.isLegacy ? await legacy.purged : await modern.purged[collection] ?? [] }
    }

    /// The statuses of its refused edits.
    var refused: [ExactString: Int] {
        get async { generation.isLegacy ? await legacy.refused : await modern.refused[collection] ?? [:] }
    }

    /// The number of fetched revisions.
    var fetched: Int {
        get async { generation.isLegacy ? await legacy.fetched : await modern.fetched }
    }
}
