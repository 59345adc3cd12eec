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

    /// Adds a row, unless the client could not take it: a row that it does not understand makes it refuse the whole message.
    ///
    /// - Parameters:
    ///   - version: Its version, for a client that knows no others; without one it is left out.
    ///   - isMoved: Whether the document lives in another collection now.
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

    /// Whether a row takes a document from the client that another row of this message gives it.
    func announces(departureOf row: ChangeRow) -> Bool {
        row.departure != nil && rows.contains { !$0.isDeparture && $0.id == row.id }
    }

    /// Adds a row as it was sent before.
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

    /// What a generation of clients cannot take is left out (docs/protocol/modern-2x.md#loss-of-access).
    private func isUnderstood(_ row: ChangeRow) -> Bool {
        switch row.departure {
        case nil: true
        // The client would purge what its user still sees (docs/protocol/modern-2x.md#loss-of-access).
        case .removed where row.isStillSeen && subprotocol.hasRowFlags && !row.isDeleted: false
        case .moved: takesRevocations && subprotocol.hasRowFlags
        // Clients of 2.x ask for the revision, and get the word that it was removed.
        case .removed: takesRevocations || !subprotocol.hasRowFlags || row.isDeleted
        case .revoked: takesRevocations && subprotocol.hasRowFlags
        }
    }

    /// 1: deleted, 2: access was lost, 4: the document has left. Before version 3 there is only the first.
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

    /// The message.
    func request(_ properties: BLIPProperties) -> BLIPMessage {
        .request("changes", properties: properties, body: body + [UInt8(ascii: "]")], isCompressed: true)
    }

    /// The message that says that there is nothing more for now; Sync Gateway's form of it (docs/protocol/modern-2x.md#caught-up).
    static func caughtUp(_ properties: BLIPProperties) -> BLIPMessage {
        .request("changes", properties: properties, body: Array("null".utf8), noReply: true, isCompressed: true)
    }
}

/// Rows of a `changes` message that the client has yet to answer.
struct AnnouncedChanges {
    let collection: CollectionHandle
    let feed: ChangesFeed
    let rows: [AnnouncedRow]
}

/// One of its rows: a revision that the client may ask for.
struct AnnouncedRow: Sendable, Equatable {
    /// As it stands in the row, which the `rev` has to repeat to the letter.
    let sequence: String
    let id: String

    /// The revision's ID in the tree, as clients know it that know no versions.
    let revision: String

    /// Its version, for a client that knows no IDs of trees.
    let version: VersionVector?

    /// What the row ends in: the flags of the protocol's version, 0 for none.
    let flags: Int

    /// Whether the document lives in another collection now, and stands for the client's copy here.
    var isMoved = false

    /// Whether the row takes the document from the client.
    var isDeparture = false

    /// The revision as the client knows it.
    var name: String { version?.current.description ?? revision }
}
