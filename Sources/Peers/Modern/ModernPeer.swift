public import Documents
import HTTP

/// A 2.x+ client: one WebSocket, push and pull in one go, with named collections or without. One-shot, and no more than the
/// demonstration and the benchmarks need.
public actor ModernPeer {
    /// What it holds: by collection (`""` where it replicates without collections), by document ID.
    public private(set) var documents: [String: [ExactString: PeerDocument]] = [:]

    /// Revisions that it fetched, to tell that nothing came twice.
    public private(set) var fetched = 0

    private let url: String
    private let collections: [String]

    /// The JSON text of the last sequence, by collection.
    private var since: [String: String] = [:]

    /// - Parameters:
    ///   - url: the remote database, such as `ws://127.0.0.1:4984/shop`.
    ///   - collections: `scope.name` each; none for a client from before collections.
    public init(_ url: String, collections: [String] = []) {
        self.url = url
        self.collections = collections
    }

    /// Pushes revisions, and pulls what has changed.
    public func replicate(push: [String: [PeerRevision]] = [:], pull: Bool = true) async throws {
        var options = WebSocketClient.Options()
        options.subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
        let (socket, _) = try await WebSocketClient.connect(to: "\(url)/_blipsync", options: options)
        let exchange = ModernExchange(collections: collections, push: push, pulls: pull, held: documents, since: since)
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
    }
}
