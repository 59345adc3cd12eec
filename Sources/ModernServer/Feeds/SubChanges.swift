import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

/// `subChanges`: the client starts to pull (docs/protocol/modern-2x.md#subchanges).
struct SubChanges: Sendable {
    /// The sequence after which the feed starts, in the form of the server that assigned it.
    let since: ClientSequence
    var isContinuous = false

    /// Whether the client wants only changes after the start of the pull, regardless of ``since``.
    var beginsNow = false

    /// The number of rows in one `changes` message.
    var batch = 200

    /// Whether tombstones are omitted: the client has no documents that they could delete.
    var activeOnly = false

    /// Whether the client wants rows for documents that have left the collection.
    private let revocations: Bool

    /// Whether the current revision may replace a requested revision that is gone.
    var takesReplacements = false

    /// Whether revisions carry their IDs in the tree, and the tree revisions recorded for other clients.
    let takesTrees: Bool
    let takesClients: Bool

    /// Only documents in these channels; `nil` for all documents that the user can access.
    var channels: Set<String>?

    /// Only these documents.
    var documentIDs: Set<ExactString>?

    init(_ request: BLIPMessage) throws {
        let properties = request.properties
        guard let since = ClientSequence(properties["since"] ?? "") else {
            throw BLIPRequestError(.badRequest, "subChanges: \(properties["since"]?.prefix(100) ?? "") is not a sequence")
        }
        self.since = since
        // Sync Gateway treats every value but `false` as true.
        isContinuous = properties["continuous"].map { $0 != "false" && $0 != "0" } ?? false
        if let text = properties["batch"] {
            guard let batch = Int(text) else {
                throw BLIPRequestError(.badRequest, "subChanges: batch is not a number: \(text.prefix(100))")
            }
            self.batch = min(max(batch, 10), 1_000)
        }
        activeOnly = properties.bool("activeOnly")
        beginsNow = properties.bool("future")
        revocations = properties.bool("revocations")
        takesReplacements = properties.bool("sendReplacementRevs")
        takesTrees = properties.bool(CarriedHistory.tree)
        takesClients = properties.bool(CarriedHistory.clients)
        channels = try Self.channels(properties)
        documentIDs = try Self.documentIDs(request.body)
    }

    /// Whether the feed includes rows for documents that have left the collection.
    var takesRevocations: Bool { revocations && !activeOnly }

    private static func channels(_ properties: BLIPProperties) throws(BLIPRequestError) -> Set<String>? {
        guard let filter = properties["filter"], !filter.isEmpty else { return nil }
        guard filter == "sync_gateway/bychannel" else {
            throw BLIPRequestError(
                .badRequest, "subChanges: unknown filter \(filter.prefix(100)); only sync_gateway/bychannel is supported")
        }
        guard let channels = properties["channels"], !channels.isEmpty else {
            throw BLIPRequestError(.badRequest, "subChanges: the filter sync_gateway/bychannel needs channels")
        }
        let names = Set(channels.split(separator: ",").map(String.init))
        return names.contains("*") ? nil : names
    }

    private static func documentIDs(_ body: [UInt8]) throws(BLIPRequestError) -> Set<ExactString>? {
        guard !body.isEmpty else { return nil }
        do {
            return try JSONReader.read(body) { reader in
                var ids: Set<ExactString>?
                try reader.object { key, value in
                    guard key == "docIDs", !value.isNull else { return }
                    var found: Set<ExactString> = []
                    try value.array { found.insert(ExactString(try $0.string())) }
                    ids = found
                }
                return ids
            }
        } catch {
            throw BLIPRequestError(.badRequest, "subChanges: the body is malformed: \(error)")
        }
    }

    /// The query for the rows after a position.
    func query(since position: FeedPosition) -> ChangesQuery {
        var query = ChangesQuery()
        query.since = position
        query.limit = batch
        query.readsAhead = true
        query.activeOnly = activeOnly
        query.documentIDs = documentIDs
        query.channels = channels
        query.includesRevocations = takesRevocations
        return query
    }
}

extension ModernSession {
    func subChanges(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        guard !subprotocol.hasVersions || request.properties["versioning"] != "rev-trees" else {
            throw BLIPRequestError(.badRequest, "subChanges: a database with revision trees has to use version 3 of the protocol")
        }
        guard collection.feed == nil else {
            // Sync Gateway's status: clients since 3.1 stop permanently on 400.
            throw BLIPRequestError(.internalError, "subChanges: this collection already has a feed", isRefusal: true)
        }
        let subscription = try SubChanges(request)
        let commits = subscription.isContinuous ? collection.keyspace.follow() : nil
        let feed = ChangesFeed(subscription, number: request.number, following: commits)
        collection.feed = feed
        collection.pull.reset()
        beginFeed(feed, of: handle, collection)
    }

    /// `unsubChanges`: the client ends its pull of a collection (docs/protocol/modern-2x.md#subchanges).
    func unsubChanges(_ request: BLIPMessage) throws {
        let collection = try collection(of: request).1
        collection.feed?.stop()
        collection.feed = nil
        collection.pull.reset()
        reply(.reply(to: request.number))
    }
}

/// The start of a client's pull: the JSON text of a sequence (docs/protocol/modern-2x.md#sequences).
struct ClientSequence: Hashable, Sendable {
    /// The text without quotes; `nil` for the beginning of the feed.
    private let text: String?

    /// - Returns: `nil` if the text is not a sequence: one to three numbers with colons between them, of which the second of three may be missing.
    init?(_ text: String) {
        var text = text[...]
        if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        guard !text.isEmpty, text != "null" else {
            self.text = nil
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.enumerated().filter { parts.count != 3 || $0.offset != 1 || !$0.element.isEmpty }
        guard parts.count <= 3, numbers.allSatisfy({ Self.isNumber($0.element) }) else { return nil }
        self.text = String(text)
    }

    private static func isNumber(_ text: Substring) -> Bool { Int64(text).map { $0 >= 0 } ?? false }

    /// The position in a keyspace's feed.
    ///
    /// Numbers that this database has not assigned are the old server's, with which the client's checkpoint was inherited. An unknown position is
    /// the beginning: the client is offered rows that it may already have, and misses none.
    func position(in keyspace: Keyspace) async throws -> FeedPosition {
        guard let text else { return .zero }
        if let position = FeedPosition(text), try await keyspace.ownSequences().contains(position) { return position }
        return try await keyspace.position(ofUpstream: UpstreamSequence(text))
    }
}
