import Coordination
import Documents
import Foundation
import Gateway
import Migration

/// A source in memory, with faults for tests.
final class ListSource: MigrationSource {
    struct State {
        var items: [SourceItem] = []
        var attachments: [AttachmentDigest: [UInt8]] = [:]
        var identity: String? = "list"
        /// The first item that cannot be read.
        var breaksAt: Int?
        var reads = 0
        var beforeBatch: (@Sendable (Int) async -> Void)?
    }

    let label: String
    let state: Lock<State>

    init(_ items: [SourceItem], label: String = "list", attachments: [[UInt8]] = []) {
        self.label = label
        var state = State(items: items)
        for bytes in attachments { state.attachments[.sha1(of: bytes)] = bytes }
        self.state = Lock(state)
    }

    func summary() async throws -> SourceSummary {
        state.withLock { SourceSummary(kind: "list", identity: $0.identity, documents: $0.items.count) }
    }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        let start = cursor.flatMap { Int($0.rawValue) } ?? 0
        if let before = state.withLock({ $0.beforeBatch }) { await before(start) }
        let (items, breaksAt) = state.withLock { state in
            state.reads += 1
            return (state.items, state.breaksAt)
        }
        guard start <= items.count else { throw SourceError(.changed, "list: no item \(start)") }
        guard start < items.count else { return nil }
        let end = min(items.count, start + limits.documents)
        if let breaksAt, end > breaksAt { throw SourceError(.unreachable, "list: gone") }
        return SourceBatch(items: Array(items[start..<end]), cursor: SourceCursor(rawValue: String(end)))
    }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        guard let digest = attachment.digest, let bytes = state.withLock({ $0.attachments[digest] }) else {
            throw SourceError(.attachmentMissing, "no bytes")
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            try await consume(rest.prefix(50_000))
            rest = rest.dropFirst(50_000)
        }
    }

    func close() async {}
}

/// A revision by the text of its history, newest first: `3-cc 2-bb 1-aa`; `!` in front marks a tombstone.
func revision(
    _ history: String, _ body: String = "{}", isLeaf: Bool = true, attachments: AttachmentSet? = nil
) -> SourceRevision {
    let isDeleted = history.hasPrefix("!")
    let ids = history.drop { $0 == "!" }.split(separator: " ").compactMap { RevisionID(String($0)) }
    return SourceRevision(history: ids, isLeaf: isLeaf, isDeleted: isDeleted, body: Array(body.utf8), attachments: attachments)
}

func document(_ id: String, in collection: String = "_default._default", _ revisions: SourceRevision...) -> SourceItem {
    .document(SourceDocument(id: id, collection: CollectionName(collection) ?? .default, revisions: revisions))
}

/// The metadata of one attachment.
func attachment(_ bytes: [UInt8], name: String = "a") -> AttachmentSet {
    AttachmentSet([AttachmentMetadata(name: name, digest: .sha1(of: bytes), length: bytes.count, revpos: 1)])
}
