import Documents
import Foundation
import Gateway
import LegacyProtocol

/// A received document that is converted to a write.
struct DocumentInput {
    let id: String
    var document: ParsedDocument

    /// - Parameter pathID: The ID in the path, which takes precedence over the document's own, as in Sync Gateway.
    /// - Throws: ``LegacyError`` if the ID is invalid.
    init(_ document: ParsedDocument, pathID: String? = nil) throws {
        let id = pathID ?? document.id ?? Self.freshID()
        try DocumentID.validate(id)
        guard !document.isRemoved else { throw LegacyError(.notFound, "Document revision is not accessible") }
        self.id = id
        self.document = document
    }

    /// The write of the revision, without its attachments.
    ///
    /// - Parameters:
    ///   - makesRevision: Whether the server makes the revision ID (`new_edits`).
    ///   - parent: The parent that the request names outside the document; it takes precedence over the document's, as in Sync Gateway.
    func write(makesRevision: Bool, parent: RevisionID? = nil) throws -> RevisionWrite {
        let kind: RevisionWrite.Kind
        if makesRevision {
            kind = .edit(parent: parent ?? document.revision)
        } else {
            // PouchDB 5 to 7 sends first revisions with `_rev` only.
            guard let history = document.history ?? document.revision.map({ [$0] }) else {
                throw LegacyError.badRevisions
            }
            kind = .replicated(history: history, conflicts: .branch)
        }
        return RevisionWrite(
            id: id, kind: kind, isDeleted: document.isDeleted, body: document.body,
            expiry: try document.expiry.flatMap { try DocumentExpiry(json: $0) })
    }

    /// An ID for a document without one: 32 hexadecimal digits, as in Sync Gateway.
    static func freshID() -> String {
        UUID().uuidString.lowercased().replacing("-", with: "")
    }
}

extension LegacyError {
    /// The error of a refused write, with Sync Gateway's text if it has one.
    init(writing write: RevisionWrite, _ error: GatewayError) {
        if error.code == .conflict, write.isReplicated {
            self.init(.conflict, "Document revision conflict", cause: error)
        } else {
            self.init(error)
        }
    }
}
