import Documents
import Gateway

/// A revision as it came from the server, ready to be written.
struct PulledRevision: Sendable {
    let id: String
    let revision: RevisionID

    /// `nil` where the server says only that the user may not see the document any more.
    private(set) var write: RevisionWrite?

    /// Bytes, about.
    let size: Int

    /// The revision with stubs for what came without bytes, although all bytes were asked for: the server does not have them.
    var keepingMissingAttachments: PulledRevision {
        var revision = self
        revision.write?.keepsMissingAttachments = true
        return revision
    }

    /// - Parameter parts: The attachments that followed the document.
    /// - Throws: ``ReplicationError`` or what the document's attachments are refused with.
    init(_ document: ParsedDocument, parts: [ReceivedAttachment] = [], intake: AttachmentIntake) async throws {
        guard let id = document.id, let revision = document.revision else {
            throw ReplicationError(.upstream, "The server sent a document without its ID or revision")
        }
        self.id = id
        self.revision = revision
        guard !document.isRemoved else {
            write = nil
            size = 0
            return
        }
        guard let history = document.history ?? (revision.generation == 1 ? [revision] : nil) else {
            throw ReplicationError(.upstream, "The server sent \(id) \(revision) without its history")
        }
        var write = RevisionWrite(
            id: id, kind: .replicated(history: history, conflicts: .branch), isDeleted: document.isDeleted, body: document.body)
        try await intake.take(document.attachments, parts: parts, into: &write)
        self.write = write
        size = document.body.count + write.attachmentBytes.values.reduce(0) { $0 + $1.count }
    }
}
