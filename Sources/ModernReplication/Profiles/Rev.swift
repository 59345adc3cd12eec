import BLIP
import Documents
import Gateway

/// `rev`: one revision of a document, pushed (protocol reference 3.8).
struct Rev {
    let write: RevisionWrite

    init(_ request: BLIPMessage, maxSize: Int) throws {
        let properties = request.properties
        guard let id = properties["id"], !id.isEmpty, let revision = properties["rev"], !revision.isEmpty else {
            throw RequestError(.badRequest, "rev needs the properties id and rev")
        }
        let isDeleted = properties["deleted"].map { $0 != "0" && $0 != "false" } ?? false
        // Of a tombstone the body is never a delta, whatever the property says.
        if properties["deltaSrc"] != nil, !isDeleted {
            throw RequestError(.badRequest, "Deltas are disabled for this peer")
        }
        let history = try RevisionHistory.parse(rev: revision, history: properties["history"])
        let body = request.body.isEmpty ? Array("{}".utf8) : request.body
        let document = try ParsedDocument(body, policy: .modern, limits: DocumentLimits(maximumSize: maxSize))
        // A list of attachments that is empty says nothing.
        let attachments = try document.attachments.map { try AttachmentSet($0) }
        write = RevisionWrite(
            id: id, kind: .replicated(history: history, conflicts: .refuse), isDeleted: isDeleted, body: document.body,
            attachments: attachments?.entries.isEmpty == true ? nil : attachments,
            expiry: try document.expiry.flatMap { try DocumentExpiry(json: $0) })
    }
}

extension ModernSession {
    func rev(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        let write = try Rev(request, maxSize: collection.keyspace.database.configuration.limits.documentSize).write
        let revision = IncomingRevision(number: request.number, write: write, size: request.body.count)
        if write.attachments == nil {
            // The job begins when all messages at hand have been dealt with, and writes those of them that are revisions together.
            if enqueue(revision, in: collection) { jobs.append { await $0.write(handle) } }
        } else {
            try fetchAttachments(of: revision, in: handle, collection.keyspace)
        }
    }
}
