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

    /// Bytes of attachments that go into the documents' transaction.
    var attachments: [ImportedAttachment] = []
}
