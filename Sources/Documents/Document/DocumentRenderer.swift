/// Writes a document as 1.x clients read it: metadata first, then the body's members as they stand.
public struct DocumentRenderer: Sendable {
    /// The document's ID.
    public var id: String

    /// The revision's ID; nil to leave it out.
    public var revision: RevisionID?

    /// Whether the revision is a tombstone.
    public var isDeleted: Bool

    /// Whether to say that the reader has lost access to the document.
    public var isRemoved = false

    /// The revision and its ancestors, the newest first, for `_revisions`; nil to leave it out.
    public var history: [RevisionID]?

    /// The JSON of `_attachments`; nil to leave it out. See ``AttachmentSet/append(to:spelling:)``.
    public var attachments: [UInt8]?

    /// The JSON of `_exp`; nil to leave it out.
    public var expiry: [UInt8]?

    /// The JSON of `_revs_info`; nil to leave it out.
    public var revisionInfo: [UInt8]?

    /// Live leaves other than the winner, for `_conflicts`.
    public var conflicts: [RevisionID] = []

    /// Deleted leaves other than the winner, for `_deleted_conflicts`.
    public var deletedConflicts: [RevisionID] = []

    /// The user's members as a JSON object.
    public var body: [UInt8]

    public init(id: String, revision: RevisionID?, isDeleted: Bool = false, body: [UInt8] = DocumentBody.empty) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
    }

    /// Appends the document's JSON.
    public func append(to bytes: inout [UInt8]) {
        bytes.makeRoom(for: estimatedCount)
        appendBeforeAttachments(to: &bytes)
        if let attachments { append(",\"_attachments\":", attachments, to: &bytes) }
        appendAfterAttachments(to: &bytes)
    }

    /// Appends the members that stand before `_attachments`, for a caller that writes that member itself.
    public func appendBeforeAttachments(to bytes: inout [UInt8]) {
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

    /// Appends the members that stand behind `_attachments`, and the end of the document.
    public func appendAfterAttachments(to bytes: inout [UInt8]) {
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
