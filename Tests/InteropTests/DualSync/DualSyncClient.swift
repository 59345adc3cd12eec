import Documents
import Peers

/// Clients of the three generations.
enum DualSyncClient: Int, CaseIterable, Sendable {
    case first = 1
    case second
    case third

    /// Writes a revision to a server.
    func write(_ revision: PeerRevision, to server: RunningBridge) async throws {
        switch self {
        case .first: try await LegacyPeer("http://127.0.0.1:\(server.port)/shop").push([revision])
        case .second: try await ModernPeer("ws://127.0.0.1:\(server.port)/shop").replicate(push: ["": [revision]], pull: false)
        case .third:
            let isOrder = revision.isDeleted || String(decoding: revision.body, as: UTF8.self).contains(#""type":"order""#)
            try await ModernPeer("ws://127.0.0.1:\(server.port)/shop", collections: ["sales.orders", "_default._default"]).replicate(
                push: [isOrder ? "sales.orders" : "_default._default": [revision]], pull: false)
        }
    }
}

extension PeerRevision {
    /// A revision `N-digest`, with any parent.
    init(_ id: String, _ history: String..., isOrder: Bool = true, isDeleted: Bool = false, by: String = "", attachment: String? = nil) {
        let body = isDeleted ? "{}" : isOrder ? #"{"type":"order","by":"\#(by)"}"# : #"{"by":"\#(by)"}"#
        self.init(
            id: id, history: history.compactMap { RevisionID($0) }, isDeleted: isDeleted, body: Array(body.utf8),
            attachments: attachment.map { [Attachment(name: "note", contentType: "text/plain", bytes: Array($0.utf8))] } ?? [])
    }
}
