import BLIP
import Documents
import ModernProtocol

/// The client's reply to `changes`: the revisions that it wants (docs/protocol/modern-2x.md#changes).
struct ChangesAnswer: Sendable, Equatable {
    /// The maximum number of revisions in a history.
    let maxHistory: Int

    /// Whether the client reads blobs from the body, and needs no `_attachments` entries for them.
    let takesBlobsInPlace: Bool

    /// Whether the client accepts deltas. LiteCore sets this in its first reply only.
    let takesDeltas: Bool

    /// The revisions of the client, for each row in order: ancestors of the announced revision, or the client's own revision followed by
    /// the last revision from this server. `nil` if the client does not want the announced revision. Rows at the end may be missing.
    let wanted: [[RevisionName]?]

    /// - Throws: `badRequest` if the reply is malformed or has more items than `rows`.
    init(_ reply: BLIPMessage, rows: Int) throws(BLIPRequestError) {
        let limit = reply.properties.integer("maxHistory") ?? ModernHistory.defaultLimit
        maxHistory = min(max(limit, 1), ModernHistory.longestLimit)
        takesBlobsInPlace = reply.properties.bool("blobs")
        takesDeltas = reply.properties.bool("deltas")
        guard !reply.body.isEmpty else {
            wanted = []
            return
        }
        do {
            wanted = try JSONReader.read(reply.body) { reader in
                var wanted: [[RevisionName]?] = []
                try reader.array { item in
                    guard item.kind == .array else { return wanted.append(nil) }
                    var known: [RevisionName] = []
                    try item.array { ancestor in
                        if ancestor.kind == .string, let name = RevisionName(try ancestor.string()) { known.append(name) }
                    }
                    wanted.append(known)
                }
                return wanted
            }
        } catch {
            throw BLIPRequestError(.badRequest, "The answer to changes is malformed: \(error)")
        }
        guard wanted.count <= rows else {
            throw BLIPRequestError(.badRequest, "The answer to changes has \(wanted.count) items for \(rows) rows")
        }
    }
}
