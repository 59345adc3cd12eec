import BLIP
import Documents
import ModernProtocol

/// The client's answer to `changes`: which revisions it wants (docs/protocol/modern-2x.md#changes).
struct ChangesAnswer: Sendable, Equatable {
    /// How many revisions a history may have.
    let maxHistory: Int

    /// Whether the client knows blobs where they stand in the body, and needs no entries of `_attachments` for them.
    let takesBlobsInPlace: Bool

    /// Whether the client takes deltas. LiteCore says so in its first answer only.
    let takesDeltas: Bool

    /// For each row in order what the client has: ancestors, or its own revision and then the last that came from here. `nil` if it does not
    /// want the revision. Rows at the end may be missing.
    let wanted: [[RevisionName]?]

    /// - Throws: `badRequest` if the answer cannot be read, or has more items than there were rows.
    init(_ reply: BLIPMessage, rows: Int) throws(RequestError) {
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
            throw RequestError(.badRequest, "The answer to changes is malformed: \(error)")
        }
        guard wanted.count <= rows else {
            throw RequestError(.badRequest, "The answer to changes has \(wanted.count) items for \(rows) rows")
        }
    }
}
