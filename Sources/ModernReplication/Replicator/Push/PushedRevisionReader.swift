import BLIP
import Documents
import Gateway
import Storage

/// Reads revisions that the server wants from a snapshot, and makes `rev` messages of them (protocol reference 3.8).
struct PushedRevisionReader: Sendable {
    let maxHistory: Int

    /// What every message begins with.
    let properties: BLIPProperties

    /// About how many bytes are read at a time.
    let maxBytes: Int

    /// Reads the first of them, at least one; `nil` for those that are no longer here, because something newer has followed.
    func read(_ changes: ArraySlice<LocalChange>, in snapshot: KeyspaceSnapshot) throws -> [OutgoingRevision?] {
        var revisions: [OutgoingRevision?] = []
        var bytes = 0
        for change in changes {
            guard bytes < maxBytes else { break }
            let revision = try read(change, in: snapshot)
            bytes += revision?.message.body.count ?? 0
            revisions.append(revision)
        }
        return revisions
    }

    private func read(_ change: LocalChange, in snapshot: KeyspaceSnapshot) throws -> OutgoingRevision? {
        guard let content = try snapshot.document(change.id)?.content(of: change.revision) else { return nil }
        var properties = properties
        properties.add("id", change.id)
        properties.add("rev", change.revision.text)
        properties.add("sequence", String(change.sequence))
        properties.add("noconflicts", "1")
        if content.isDeleted { properties.add("deleted", "1") }
        let known = Set(change.parent.map { parent in content.history.filter { $0.modernAlias == parent } } ?? [])
        if let history = ModernHistory.property(content.history, known: known, limit: maxHistory) {
            properties.add("history", history)
        }
        guard let attachments = content.body.attachments else {
            let message = BLIPMessage.request("rev", properties: properties, body: content.body.properties, isCompressed: true)
            return OutgoingRevision(id: change.id, message: message, attachments: [])
        }
        let set = try AttachmentSet(attachments).namedBySHA1(in: snapshot)
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: set.stubs())
        let message = BLIPMessage.request(
            "rev", properties: properties, body: JSONObject.adding(member, to: content.body.properties), isCompressed: true)
        return OutgoingRevision(id: change.id, message: message, attachments: set.entries.compactMap(\.digest))
    }
}
