package import Documents
package import HTTP
import HTTPTypes

/// A 2.x+ client that pushes and pulls over one WebSocket, with or without named collections.
///
/// It is one-shot, and implements only what the demonstration and the benchmarks need.
package actor ModernPeer {
    /// The local documents, by collection (`""` without collections) and document ID.
    package private(set) var documents: [String: [ExactString: PeerDocument]] = [:]

    /// The number of fetched revisions, to check that none is fetched twice.
    package private(set) var fetched = 0

    /// Local documents that the server removed from the client, by collection.
    package private(set) var purged: [String: Set<ExactString>] = [:]

    /// The status of each local edit that the server refused, by collection and document ID.
    package private(set) var refused: [String: [ExactString: Int]] = [:]

    /// The last sequence as JSON text, by collection.
    package private(set) var since: [String: String] = [:]

    private let url: String
    private let collections: [String]
    private let options: ModernOptions
    private var edits: [String: LocalEdits] = [:]

    /// - Parameters:
    ///   - url: the remote database, such as `ws://127.0.0.1:4984/shop`.
    ///   - collections: names of the form `scope.name`; empty for a client without support for collections.
    ///   - options: the credentials and the protocol features.
    package init(_ url: String, collections: [String] = [], options: ModernOptions = ModernOptions()) {
        self.url = url
        self.collections = collections
        self.options = options
    }

    /// Edits a document locally; ``replicateEdits(pushes:pulls:)`` pushes the edit.
    package func edit(_ revision: PeerRevision, in collection: String = "") {
        documents[collection, default: [:]][ExactString(revision.id)] = PeerDocument(
            revision: revision.history[0], isDeleted: revision.isDeleted, body: (try? JSONValue(revision.body)) ?? .null)
        edits[collection, default: LocalEdits()].append(revision)
    }

    /// Pushes the edits since the last push, and pulls changes. Refused edits are recorded in ``refused`` and not pushed again.
    package func replicateEdits(pushes: Bool = true, pulls: Bool = true) async throws {
        try await replicate(push: pushes ? edits.mapValues(\.pending) : [:], pull: pulls, toleratesRefusals: true)
        if pushes { for name in edits.keys { edits[name]?.markPushed() } }
    }

    /// Makes the next push and pull start from the beginning.
    package func resetCheckpoint() {
        since = [:]
        for name in edits.keys { edits[name]?.resetCheckpoint() }
    }

    /// Pushes revisions, and pulls changes.
    ///
    /// - Throws: ``PeerError`` if the server refuses a revision.
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

/// The credentials and protocol features of a 2.x+ client.
package struct ModernOptions: Sendable {
    /// The credentials that are sent with the handshake.
    package var credentials: BasicCredentials?

    /// The offered subprotocols, in order of preference.
    package var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// Whether the client requests revocations of access, as a client with auto-purge does.
    package var takesRevocations = false

    package init() {}
}
