package import Documents
package import HTTP
import HTTPTypes

/// A 2.x+ client: one WebSocket, push and pull in one go, with named collections or without. One-shot, and no more than the
/// demonstration and the benchmarks need.
package actor ModernPeer {
    /// What it holds: by collection (`""` where it replicates without collections), by document ID.
    package private(set) var documents: [String: [ExactString: PeerDocument]] = [:]

    /// Revisions that it fetched, to tell that nothing came twice.
    package private(set) var fetched = 0

    /// Documents that it had and that the server has taken from it, by collection.
    package private(set) var purged: [String: Set<ExactString>] = [:]

    /// The status with which the server refused its edit of a document, by collection.
    package private(set) var refused: [String: [ExactString: Int]] = [:]

    /// The JSON text of the last sequence, by collection.
    package private(set) var since: [String: String] = [:]

    private let url: String
    private let collections: [String]
    private let options: ModernOptions
    private var edits: [String: LocalEdits] = [:]

    /// - Parameters:
    ///   - url: the remote database, such as `ws://127.0.0.1:4984/shop`.
    ///   - collections: `scope.name` each; none for a client from before collections.
    ///   - options: who it is, and what it knows of the protocol.
    package init(_ url: String, collections: [String] = [], options: ModernOptions = ModernOptions()) {
        self.url = url
        self.collections = collections
        self.options = options
    }

    /// Edits a document; ``replicateEdits(pulls:)`` pushes it.
    package func edit(_ revision: PeerRevision, in collection: String = "") {
        documents[collection, default: [:]][ExactString(revision.id)] = PeerDocument(
            revision: revision.history[0], isDeleted: revision.isDeleted, body: (try? JSONValue(revision.body)) ?? .null)
        edits[collection, default: LocalEdits()].append(revision)
    }

    /// Pushes what was edited since the last push, and pulls what has changed. What is refused is kept in ``refused``, and not pushed again.
    package func replicateEdits(pushes: Bool = true, pulls: Bool = true) async throws {
        try await replicate(push: pushes ? edits.mapValues(\.pending) : [:], pull: pulls, toleratesRefusals: true)
        if pushes { for name in edits.keys { edits[name]?.markPushed() } }
    }

    /// Pushes and pulls from the beginning the next time.
    package func resetCheckpoint() {
        since = [:]
        for name in edits.keys { edits[name]?.resetCheckpoint() }
    }

    /// Pushes revisions, and pulls what has changed.
    ///
    /// - Throws: ``PeerError`` if one is refused.
    package func replicate(push: [String: [PeerRevision]] = [:], pull: Bool = true) async throws {
        try await replicate(push: push, pull: pull, toleratesRefusals: false)
    }

    private func replicate(push: [String: [PeerRevision]], pull: Bool, toleratesRefusals: Bool) async throws {
        var connecting = WebSocketClient.Options()
        connecting.subprotocols = options.subprotocols
        if let credentials = options.credentials { connecting.headers[.authorization] = credentials.authorization }
        let socket = try await WebSocketClient.connect(to: "\(url)/_blipsync", options: connecting).connection
        let exchange = ModernExchange(
            collections: collections, push: push, pulls: pull, takesRevocations: options.takesRevocations,
            toleratesRefusals: toleratesRefusals, held: documents, since: since)
        do {
            try await exchange.run(over: socket)
        } catch {
            socket.drop()
            throw error
        }
        await socket.close(code: .normalClosure, reason: "")
        documents = exchange.documents
        since = exchange.since
        fetched += exchange.fetched
        refused.merge(exchange.refused) { $0.merging($1) { $1 } }
        for (collection, ids) in exchange.purged {
            purged[collection, default: []].formUnion(ids)
            for id in ids { edits[collection]?.remove(id.string) }
        }
    }
}

/// Who a 2.x+ client is, and what it knows of the protocol.
package struct ModernOptions: Sendable {
    /// Sent with the handshake.
    package var credentials: BasicCredentials?

    /// The protocols that it offers, the preferred one first.
    package var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// Whether it wants to be told of documents to which access was lost, as a client with auto-purge does.
    package var takesRevocations = false

    package init() {}
}
