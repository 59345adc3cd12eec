import BLIP
import Documents
import Gateway
import ModernProtocol
import Storage

/// The rows of a `changes` message (docs/protocol/modern-2x.md#changes).
struct ChangesMessage: Sendable {
    private(set) var rows: [AnnouncedRow] = []
    private(set) var body: [UInt8] = [UInt8(ascii: "[")]
    private let subprotocol: Subprotocol
    private let takesRevocations: Bool

    init(_ subprotocol: Subprotocol, takesRevocations: Bool) {
        self.subprotocol = subprotocol
        self.takesRevocations = takesRevocations
    }

    /// Adds a row. Omits a row that this client would not understand, because LiteCore then refuses the whole message.
    ///
    /// - Parameters:
    ///   - version: The revision's version. Clients with versions know no other name, so a row without a version is omitted for them.
    ///   - isMoved: Whether the document is in another collection.
    mutating func append(_ row: ChangeRow, version: VersionVector? = nil, isMoved: Bool = false) {
        guard isUnderstood(row), version != nil || !subprotocol.hasVersions else { return }
        guard DocumentID.isAcceptableToModernClients(row.id), let revision = RevisionID(row.revision)?.modernAlias, revision.isNative else {
            return
        }
        append(
            AnnouncedRow(
                sequence: row.trigger == nil ? String(row.sequence.value) : "\"\(row.position)\"", id: row.id, revision: revision.text,
                version: version, flags: flags(of: row), isMoved: isMoved, isDeparture: row.departure != nil))
    }

    /// Whether the row removes a document from the client while another row of this message delivers the same document.
    func announces(departureOf row: ChangeRow) -> Bool {
        row.departure != nil && rows.contains { !$0.isDeparture && $0.id == row.id }
    }

    /// Adds a row in the form in which it was sent before.
    mutating func append(_ row: AnnouncedRow) {
        if !rows.isEmpty { body.append(UInt8(ascii: ",")) }
        rows.append(row)
        body.append(UInt8(ascii: "["))
        body.append(contentsOf: row.sequence.utf8)
        body.append(UInt8(ascii: ","))
        JSONWriter.append(row.id, to: &body)
        body.append(UInt8(ascii: ","))
        JSONWriter.append(row.name, to: &body)
        if row.flags != 0 {
            body.append(UInt8(ascii: ","))
            if subprotocol.hasRowFlags {
                JSONWriter.append(row.flags, to: &body)
            } else {
                JSONWriter.append(raw: "true", to: &body)
            }
        }
        body.append(UInt8(ascii: "]"))
    }

    /// Omits the rows that the client's protocol version cannot process (docs/protocol/modern-2x.md#loss-of-access).
    private func isUnderstood(_ row: ChangeRow) -> Bool {
        switch row.departure {
        case nil: true
        // The client would purge a document that its user can still access (docs/protocol/modern-2x.md#loss-of-access).
        case .removed where row.isStillSeen && subprotocol.hasRowFlags && !row.isDeleted: false
        case .moved: takesRevocations && subprotocol.hasRowFlags
        // Clients of 2.x request the revision, and receive a body that marks it as removed.
        case .removed: takesRevocations || !subprotocol.hasRowFlags || row.isDeleted
        case .revoked: takesRevocations && subprotocol.hasRowFlags
        }
    }

    /// Flags: 1 is deleted, 2 is lost access, 4 is removed from the collection. Before version 3 of the protocol only the first exists.
    private func flags(of row: ChangeRow) -> Int {
        var flags = row.isDeleted ? 1 : 0
        guard subprotocol.hasRowFlags else { return flags }
        switch row.departure {
        case nil: break
        case .moved, .removed: flags |= 4
        case .revoked: flags |= 2
        }
        return flags
    }

    /// Completes the `changes` message.
    func request(_ properties: BLIPProperties) -> BLIPMessage {
        .request("changes", properties: properties, body: body + [UInt8(ascii: "]")], isCompressed: true)
    }

    /// The message that marks the end of the initial pull, in Sync Gateway's form (docs/protocol/modern-2x.md#caught-up).
    static func caughtUp(_ properties: BLIPProperties) -> BLIPMessage {
        .request("changes", properties: properties, body: Array("null".utf8), noReply: true, isCompressed: true)
    }
}

/// Rows of a `changes` message that waits for the client's reply.
struct AnnouncedChanges {
    let collection: CollectionHandle
    let feed: ChangesFeed
    let rows: [AnnouncedRow]
}

/// One row of a `changes` message: a revision that the client may request.
struct AnnouncedRow: Sendable, Equatable {
    /// The sequence as the row has it. The `rev` message has to repeat it byte for byte.
    let sequence: String
    let id: String

    /// The revision's ID in the tree, for clients without versions.
    let revision: String

    /// The revision's version, for clients that do not know tree IDs.
    let version: VersionVector?

    /// The last element of the row: the flags of the protocol's version; 0 for no flags.
    let flags: Int

    /// Whether the document is in another collection, and the row refers to the client's copy in this one.
    var isMoved = false

    /// Whether the row removes the document from the client.
    var isDeparture = false

    /// Whether the revision is a tombstone.
    var isDeleted: Bool { flags & 1 != 0 }

    /// The revision's name in the client's protocol version.
    var name: String { version?.current.description ?? revision }
}
