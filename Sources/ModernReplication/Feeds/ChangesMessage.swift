import BLIP
import Documents
import Gateway
import Storage

/// The rows of a `changes` message (protocol reference 3.6).
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
    mutating func append(_ row: ChangeRow) {
        if row.isRemoval, !takesRevocations || !subprotocol.hasRowFlags { return }
        guard DocumentID.isAcceptableToModernClients(row.id), let revision = RevisionID(row.revision)?.modernAlias, revision.isNative else {
            return
        }
        let announced = AnnouncedRow(
            sequence: String(row.sequence.value), id: row.id, revision: revision.text, isRemoval: row.isRemoval)
        if !rows.isEmpty { body.append(UInt8(ascii: ",")) }
        rows.append(announced)
        body.append(UInt8(ascii: "["))
        body.append(contentsOf: announced.sequence.utf8)
        body.append(UInt8(ascii: ","))
        JSONWriter.append(announced.id, to: &body)
        body.append(UInt8(ascii: ","))
        JSONWriter.append(announced.revision, to: &body)
        appendFlags(of: row)
        body.append(UInt8(ascii: "]"))
    }

    private mutating func appendFlags(of row: ChangeRow) {
        guard row.isDeleted || row.isRemoval else { return }
        guard subprotocol.hasRowFlags else { return JSONWriter.append(raw: ",true", to: &body) }
        let flags = (row.isDeleted ? 1 : 0) | (row.isRemoval ? 4 : 0)
        body.append(UInt8(ascii: ","))
        JSONWriter.append(flags, to: &body)
    }

    /// The message.
    func request(_ properties: BLIPProperties) -> BLIPMessage {
        .request("changes", properties: properties, body: body + [UInt8(ascii: "]")], isCompressed: true)
    }

    /// The message that says that there is nothing more for now; Sync Gateway's form of it (protocol reference 3.6).
    static func caughtUp(_ properties: BLIPProperties) -> BLIPMessage {
        .request("changes", properties: properties, body: Array("null".utf8), noReply: true, isCompressed: true)
    }
}
