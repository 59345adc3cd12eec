import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

/// Reads the revisions that the server wants from a snapshot, and builds `rev` messages (docs/protocol/modern-2x.md#rev).
struct PushedRevisionReader: Sendable {
    let maxHistory: Int

    /// Whether the server accepts deltas.
    let takesDeltas: Bool

    /// Whether the server accepts a revision's tree IDs beside its version, and the tree revisions recorded for other clients.
    var takesTrees = false
    var takesClients = false

    /// The first properties of every message.
    let properties: BLIPProperties

    /// The approximate number of bytes to read at a time.
    let maxBytes: Int

    /// Reads revisions up to about ``maxBytes``, at least one; `nil` for a revision that is gone because a newer one has replaced it.
    func read(_ changes: ArraySlice<LocalChange>, in snapshot: KeyspaceSnapshot) throws -> [OutgoingRevision?] {
        var revisions: [OutgoingRevision?] = []
        var bytes = 0
        for change in changes {
            guard bytes < maxBytes else { break }
            let revision = try read(change, in: snapshot)
            bytes += revision.map { $0.message.body.count + ($0.savedBytes ?? 0) } ?? 0
            revisions.append(revision)
        }
        return revisions
    }

    private func read(_ change: LocalChange, in snapshot: KeyspaceSnapshot) throws -> OutgoingRevision? {
        guard let document = try snapshot.document(change.id), let content = try document.content(of: change.revision) else {
            return nil
        }
        var properties = properties
        properties.add("id", change.id)
        properties.add("rev", change.name.description)
        properties.add("sequence", String(change.sequence))
        properties.add("noconflicts", "1")
        if content.isDeleted { properties.add("deleted", "1") }
        if let history = change.version.map({ $0.history(endingIn: change.parent?.tree.map { [$0] } ?? []) })
            ?? history(of: change, content, document)
        {
            properties.add("history", history)
        }
        if change.version != nil, takesTrees { properties.add(CarriedHistory.tree, CarriedHistory.text(content.history)) }
        if change.version != nil, takesClients, let text = CarriedHistory.text(try snapshot.clientRevisions(of: document)) {
            properties.add(CarriedHistory.clients, text)
        }
        let (whole, attachments) = try content.messageBody(in: snapshot)
        var delta: OutgoingDelta?
        if takesDeltas, !change.isWantedWhole, !content.isDeleted, let parent = change.parent {
            delta = try OutgoingDelta.make(whole, sending: content, from: [parent], of: document, in: snapshot) {
                try $0.messageBody(in: snapshot).bytes
            }
        }
        if let delta { properties.add("deltaSrc", delta.source.description) }
        let message = BLIPMessage.request("rev", properties: properties, body: delta?.body ?? whole, isCompressed: true)
        return OutgoingRevision(
            id: change.id, message: message, attachments: attachments,
            savedBytes: delta.map { whole.count - $0.body.count })
    }

    private func history(of change: LocalChange, _ content: RevisionContent, _ document: DocumentView) -> String? {
        let ancestors = change.isGrafted ? graftedHistory(of: change, document) : content.history
        let known = Set(change.parent.map { parent in ancestors.filter { $0.modernAlias == parent.tree } } ?? [])
        return ModernHistory.property(ancestors, known: known, limit: maxHistory)
    }

    /// The revision's history as a child of the server's branch.
    private func graftedHistory(of change: LocalChange, _ document: DocumentView) -> [RevisionID] {
        let parent = change.parent?.tree.flatMap { document.tree.lookup(modern: $0)?.id }
        return [document.tree.lookup(modern: change.revision)?.id ?? change.revision] + (parent.map { document.tree.history(of: $0) } ?? [])
    }
}
