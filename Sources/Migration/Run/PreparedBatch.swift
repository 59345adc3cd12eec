import Documents
import Gateway

/// A batch on its way from the source into the store.
struct PreparedBatch: Sendable {
    /// What is to be written, in order.
    var documents: [ImportedDocument] = []

    /// What is known of them already.
    var plans = PlannedImport()

    /// The same as the source has them, for the quarantine.
    var originals: [SourceDocument] = []

    /// The attachments of each whose bytes the source does not have.
    var missing: [[MissingAttachment]] = []

    /// The size of each.
    var sizes: [DocumentSize] = []

    /// What cannot be written, or not wholly.
    var faults: [QuarantinedDocument] = []

    /// What the login may not see.
    var unseen: [UnseenRevision] = []

    /// Bytes of attachments that go into the documents' transaction.
    var attachments: [ImportedAttachment] = []

    /// Takes in what the source has in the place of a document.
    mutating func add(_ fault: SourceFault) {
        if fault.isUnseen {
            unseen.append(UnseenRevision(id: fault.id, revision: fault.revision))
        } else {
            faults.append(QuarantinedDocument(fault))
        }
    }
}
