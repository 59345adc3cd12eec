import BLIP
import Documents
import Gateway

/// A revision that the server has sent: the other direction of ``Rev``.
struct PulledRevision: Sendable {
    /// The request's number, for the reply; `nil` if none is wanted.
    let number: UInt64?

    /// The row that it belongs to; `nil` where the server does not say.
    let sequence: String?
    let history: [RevisionID]

    /// How it is written where it is no conflict.
    var write: RevisionWrite

    /// Whether it says only that the user has lost access.
    let isRemoved: Bool

    /// The bytes that it holds, about.
    let size: Int

    var revision: RevisionID { history[0] }

    /// - Throws: ``RequestError`` or ``DocumentError`` if it cannot be right.
    ///
    /// - Parameter body: The whole body, where the request's own is a delta.
    init(_ request: BLIPMessage, body whole: [UInt8]? = nil, maxSize: Int) throws {
        let properties = request.properties
        guard let id = properties["id"], !id.isEmpty, let revision = properties["rev"], !revision.isEmpty else {
            throw RequestError(.badRequest, "rev needs the properties id and rev")
        }
        history = try RevisionHistory.parse(rev: revision, history: properties["history"])
        let body = whole ?? (request.body.isEmpty ? Array("{}".utf8) : request.body)
        let document = try ParsedDocument(body, policy: .legacyUpstream, limits: DocumentLimits(maximumSize: maxSize))
        let attachments = try document.attachments.map { try AttachmentSet($0) }
        write = RevisionWrite(
            id: id, kind: .replicated(history: history, conflicts: .refuse), isDeleted: Rev.isDeleted(properties) || document.isDeleted,
            body: document.body,
            attachments: attachments?.entries.isEmpty == true ? nil : attachments)
        isRemoved = document.isRemoved
        number = request.noReply ? nil : request.number
        sequence = properties["sequence"]
        size = body.count
    }
}
