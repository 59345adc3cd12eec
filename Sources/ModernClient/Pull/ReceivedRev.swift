import BLIP
import Documents
import Gateway
import ModernProtocol

/// A revision that the server has sent: a `rev` in the direction of the client.
struct ReceivedRev: Sendable {
    /// The request's number, for the reply; `nil` if none is wanted.
    let number: UInt64?

    /// The sequence of its row; `nil` if the server does not send it.
    let sequence: String?

    /// The tree IDs of the revision and its ancestors, the newest first. A revision with a version gets a locally computed ID, unless the
    /// server has sent its own.
    let history: [RevisionID]

    /// The revision's version, if the server names it by one.
    let version: VersionVector?

    /// The write that stores it if there is no conflict.
    var write: RevisionWrite

    /// Whether the message states only that the user has lost access.
    let isRemoved: Bool

    /// The approximate number of bytes that it occupies.
    let size: Int

    var revision: RevisionID { history[0] }

    /// The server's name for the revision.
    var name: RevisionName { version.map { .version($0.current) } ?? .tree(revision) }

    /// - Throws: ``BLIPRequestError`` or ``DocumentError`` for an invalid message.
    ///
    /// - Parameter body: The whole body if the request's own body is a delta.
    init(_ request: BLIPMessage, _ subprotocol: Subprotocol, body whole: [UInt8]? = nil, maxSize: Int) throws {
        let properties = request.properties
        guard let id = properties["id"], !id.isEmpty, let revision = properties["rev"], !revision.isEmpty else {
            throw BLIPRequestError(.badRequest, "rev needs the properties id and rev")
        }
        let origin = subprotocol.hasVersions ? RevisionOrigin.versions(nil, isAdministrator: true) : .trees
        var kind = try origin.kind(of: revision, properties)
        switch kind {
        case .versioned(var made):
            made.isNaming = true
            kind = .versioned(made)
            version = made.history.vector
            history =
                try made.tree.isEmpty
                ? [RevisionDigest.version(parent: made.history.legacy.first, version: made.history.vector.current)] : made.tree
        case .replicated(let received, _): (version, history) = (nil, received)
        case .edit: throw BLIPRequestError(.badRequest, "rev does not name a replicated revision")
        }
        let body = whole ?? (request.body.isEmpty ? Array("{}".utf8) : request.body)
        let document = try ParsedDocument(body, policy: .legacyUpstream, limits: DocumentLimits(maximumSize: maxSize))
        let attachments = try document.attachments.map { try AttachmentSet($0) }
        write = RevisionWrite(
            id: id, kind: kind, isDeleted: properties.isOfTombstone || document.isDeleted,
            body: document.body,
            attachments: attachments?.entries.isEmpty == true ? nil : attachments)
        isRemoved = document.isRemoved
        number = request.noReply ? nil : request.number
        sequence = properties["sequence"]
        size = body.count
    }
}
