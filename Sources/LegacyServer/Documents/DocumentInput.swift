import Documents
import Foundation
import Gateway
import LegacyProtocol

/// A document that came in, on its way to a revision.
struct DocumentInput {
    let id: String
    var document: ParsedDocument

    /// - Parameter pathID: the ID in the path, which goes before the document's own one, as with Sync Gateway.
    /// - Throws: ``LegacyError`` if the ID is none.
    init(_ document: ParsedDocument, pathID: String? = nil) throws {
        let id = pathID ?? document.id ?? Self.freshID()
        try DocumentID.validate(id)
        guard !document.isRemoved else { throw LegacyError(.notFound, "Document revision is not accessible") }
        self.id = id
        self.document = document
    }

    /// The revision as it is to be written, its attachments not yet looked at.
    ///
    /// - Parameters:
    ///   - makesRevision: whether its ID is made here (`new_edits`).
    ///   - parent: the revision that it follows, where the request says it besides: as with Sync Gateway, that goes before the document's.
    func write(makesRevision: Bool, parent: RevisionID? = nil) throws -> RevisionWrite {
        let kind: RevisionWrite.Kind
        if makesRevision {
            kind = .edit(parent: parent ?? document.revision)
        } else {
            // PouchDB 5 to 7 sends first revisions with `_rev` alone.
            guard let history = document.history ?? document.revision.map({ [$0] }) else {
                throw LegacyError.badRevisions
            }
            kind = .replicated(history: history, conflicts: .branch)
        }
        return RevisionWrite(
            id: id, kind: kind, isDeleted: document.isDeleted, body: document.body,
            expiry: try document.expiry.flatMap { try DocumentExpiry(json: $0) })
    }

    /// An ID for a document that came without: 32 hexadecimal digits, as Sync Gateway's.
    static func freshID() -> String {
        UUID().uuidString.lowercased().replacing("-", with: "")
    }
}

extension LegacyError {
    /// Why a write was refused, in Sync Gateway's words where it has some.
    init(writing write: RevisionWrite, _ error: GatewayError) {
        if error.code == .conflict, write.isReplicated {
            self.init(.conflict, "Document revision conflict", cause: error)
        } else {
            self.init(error)
        }
    }
}
