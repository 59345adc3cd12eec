/// Writes a document for 1.x clients: metadata first, then the body's members unchanged.
package struct DocumentRenderer: Sendable {
    /// The document's ID.
    package var id: String

    /// The revision's ID; nil to leave it out.
    package var revision: RevisionID?

    /// Whether the revision is a tombstone.
    package var isDeleted: Bool

    /// Whether to write `"_removed": true`: the reader has lost access to the document.
    package var isRemoved = false

    /// The revision and its ancestors, newest first, for `_revisions`; nil to omit it.
    package var history: [RevisionID]?

    /// The JSON of `_attachments`; nil to omit it. See ``AttachmentSet/append(to:spelling:)``.
    package var attachments: [UInt8]?

    /// The JSON of `_exp`; nil to omit it.
    package var expiry: [UInt8]?

    /// The JSON of `_revs_info`; nil to omit it.
    package var revisionInfo: [UInt8]?

    /// Live leaves other than the winner, for `_conflicts`.
    package var conflicts: [RevisionID] = []

    /// Deleted leaves other than the winner, for `_deleted_conflicts`.
    package var deletedConflicts: [RevisionID] = []

    /// The user's members as a JSON object.
    package var body: [UInt8]

    package init(id: String, revision: RevisionID?, isDeleted: Bool = false, body: [UInt8] = DocumentBody.empty) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
    }

    /// Appends the document's JSON.
    package func append(to bytes: inout [UInt8]) {
        bytes.makeRoom(for: estimatedCount)
        appendBeforeAttachments(to: &bytes)
        if let attachments { append(",\"_attachments\":", attachments, to: &bytes) }
        appendAfterAttachments(to: &bytes)
    }

    /// Appends the members before `_attachments`, for callers that write that member themselves.
    package func appendBeforeAttachments(to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"_id\":", to: &bytes)
        JSONWriter.append(id, to: &bytes)
        if let revision {
            JSONWriter.append(raw: ",\"_rev\":", to: &bytes)
            JSONWriter.append(revision, to: &bytes)
        }
        if isDeleted { JSONWriter.append(raw: ",\"_deleted\":true", to: &bytes) }
        if isRemoved { JSONWriter.append(raw: ",\"_removed\":true", to: &bytes) }
        if let history, !history.isEmpty {
            JSONWriter.append(raw: ",\"_revisions\":", to: &bytes)
            RevisionHistory.append(history, to: &bytes)
        }
    }

    /// Appends the members after `_attachments`, and the closing brace.
    package func appendAfterAttachments(to bytes: inout [UInt8]) {
        if let expiry { append(",\"_exp\":", expiry, to: &bytes) }
        if let revisionInfo { append(",\"_revs_info\":", revisionInfo, to: &bytes) }
        append(",\"_conflicts\":", conflicts, to: &bytes)
        append(",\"_deleted_conflicts\":", deletedConflicts, to: &bytes)
        let members = DocumentBody.members(of: body)
        if !members.isEmpty {
            bytes.append(0x2c)
            bytes.append(contentsOf: members)
        }
        bytes.append(0x7d)
    }

    private var estimatedCount: Int {
        160 + id.utf8.count + body.count + (attachments?.count ?? 0) + 44 * (history?.count ?? 0)
    }

    private func append(_ key: StaticString, _ json: [UInt8], to bytes: inout [UInt8]) {
        JSONWriter.append(raw: key, to: &bytes)
        bytes.append(contentsOf: json)
    }

    private func append(_ key: StaticString, _ revisions: [RevisionID], to bytes: inout [UInt8]) {
        guard !revisions.isEmpty else { return }
        JSONWriter.append(raw: key, to: &bytes)
        bytes.append(0x5b)
        for (index, revision) in revisions.enumerated() {
            if index > 0 { bytes.append(0x2c) }
            JSONWriter.append(revision, to: &bytes)
        }
        bytes.append(0x5d)
    }
}
