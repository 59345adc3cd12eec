import Documents

/// A document with its rows of `revs`, from which its revision tree is built.
struct LegacyDocument {
    let key: Int64
    let id: [UInt8]
    let expiry: Int64?
    var rows: [LegacyRow] = []

    /// Content of the table `attachments`, by sequence.
    var attachments: [Int64: AttachmentSet] = [:]

    /// Description of content that is lost with damaged pages.
    var damage: String?

    /// Total bytes of the bodies.
    var size: Int { rows.reduce(0) { $0 + ($1.json?.count ?? 0) } }

    /// The document and its faults; empty if the document has no revisions.
    ///
    /// - Parameter bodyBytes: Largest size of a body in bytes.
    func items(bodyBytes: Int) -> [SourceItem] {
        guard !rows.isEmpty || damage != nil else { return [] }
        do {
            var assembler = try DocumentAssembler(id: id)
            if let damage { assembler.refuse(nil, damage) }
            let isFlat = rows.allSatisfy { $0.parent == nil }
            let byRow = isFlat ? [:] : Dictionary(rows.map { ($0.sequence, $0) }) { first, _ in first }
            for row in rows { add(row, byRow, bodyBytes, to: &assembler) }
            let sequence = rows.lazy.filter(\.isCurrent).map(\.sequence).max()
            return assembler.items(sequence: sequence.map { "\($0)" }, expiry: expiry)
        } catch {
            var fault = error
            let body = rows.last(where: \.isCurrent)?.json ?? []
            (fault.bytes, fault.length) = (body, body.count)
            return [.fault(fault)]
        }
    }

    private func add(_ row: LegacyRow, _ byRow: [Int64: LegacyRow], _ bodyBytes: Int, to assembler: inout DocumentAssembler) {
        var name: String { String(decoding: row.revision, as: UTF8.self) }
        guard let history = history(of: row, byRow) else {
            // An ancestor without a body matters only to its descendants, which report the fault themselves.
            if row.isCurrent || row.length != nil {
                assembler.refuse(
                    name, "a revision ID of its history is malformed, or its revision tree runs in a circle", bytes: row.json ?? [])
            }
            return
        }
        if let length = row.length, length > bodyBytes {
            assembler.refuse(
                name, "its body has \(length) bytes, and \(bodyBytes) are allowed", bytes: row.json ?? [], length: length)
        } else if let json = row.json {
            assembler.add(
                json[...], history: history, isLeaf: row.isCurrent, isDeleted: row.isDeleted, attachments: attachments[row.sequence],
                maximumSize: bodyBytes)
        } else if row.isCurrent, row.isDeleted {
            assembler.add(SourceRevision(history: history, isDeleted: true, body: DocumentBody.empty))
        } else if row.isCurrent {
            assembler.refuse(name, "the database does not have this revision's body")
        }
    }

    private func history(of row: LegacyRow, _ byRow: [Int64: LegacyRow]) -> [RevisionID]? {
        var history: [RevisionID] = []
        var next: LegacyRow? = row
        while let current = next {
            guard let id = RevisionID(utf8: current.revision), history.last.map({ $0.generation > id.generation }) ?? true else {
                return nil
            }
            history.append(id)
            next = current.parent.flatMap { byRow[$0] }
        }
        return history
    }
}
