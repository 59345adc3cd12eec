import BLIP
import Documents
import Gateway
import ModernProtocol

/// A revision that the server has sent: a `rev` of the other direction.
struct PulledRevision: Sendable {
    /// The request's number, for the reply; `nil` if none is wanted.
    let number: UInt64?

    /// The row that it belongs to; `nil` where the server does not say.
    let sequence: String?

    /// The revision and its ancestors by their IDs in the tree, the newest first. One that came with a version has an ID of our own, if the server has not
    /// told its own.
    let history: [RevisionID]

    /// Its version, where the server knows it by one.
    let version: VersionVector?

    /// How it is written where it is no conflict.
    var write: RevisionWrite

    /// Whether it says only that the user has lost access.
    let isRemoved: Bool

    /// The bytes that it holds, about.
    let size: Int

    var revision: RevisionID { history[0] }

    /// What the server calls it.
    var name: RevisionName { version.map { .version($0.current) } ?? .tree(revision) }

    /// - Throws: ``RequestError`` or ``DocumentError`` if it cannot be right.
    ///
    /// - Parameter body: The whole body, where the request's own is a delta.
    init(_ request: BLIPMessage, _ subprotocol: Subprotocol, body whole: [UInt8]? = nil, maxSize: Int) throws {
        let properties = request.properties
        guard let id = properties["id"], !id.isEmpty, let revision = properties["rev"], !revision.isEmpty else {
            throw RequestError(.badRequest, "rev needs the properties id and rev")
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
        case .replicated(let told, _): (version, history) = (nil, told)
        case .edit: throw RequestError(.badRequest, "rev names no revision that was made elsewhere")
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
