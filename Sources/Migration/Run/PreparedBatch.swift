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
    var unseen: [InaccessibleRevision] = []

    /// Bytes of attachments that go into the documents' transaction.
    var attachments: [ImportedAttachment] = []

    /// Takes in what the source has in the place of a document.
    mutating func add(_ fault: SourceFault) {
        if fault.isUnseen {
            unseen.append(InaccessibleRevision(id: fault.id, revision: fault.revision))
        } else {
            faults.append(QuarantinedDocument(fault))
        }
    }
}

extension PreparedBatch {
    /// The batch without its attachments: nothing is to be written.
    init(unloaded batch: SourceBatch) {
        for item in batch.items {
            switch item {
            case .fault(let fault): add(fault)
            case .document(let document):
                originals.append(document)
                documents.append(ImportedDocument(unloaded: document))
            }
        }
    }
}

extension ImportedDocument {
    /// A document with its attachments as the source names them.
    init(unloaded document: SourceDocument) {
        self.init(
            id: document.id, collection: document.collection,
            revisions: document.revisions.map {
                RevisionWrite(
                    id: document.id, kind: .replicated(history: $0.history, conflicts: .accept), isDeleted: $0.isDeleted, body: $0.body,
                    attachments: $0.attachments)
            })
    }
}

/// How large a document of a source is.
struct DocumentSize: Sendable {
    /// Bytes of all bodies.
    private(set) var bodies = 0

    /// Bytes of the leaves' attachments, as far as the source says.
    private(set) var attachments = 0

    var total: Int { bodies + attachments }

    init(_ document: SourceDocument) {
        for revision in document.revisions {
            bodies += revision.body.count
            guard revision.isLeaf, let named = revision.attachments else { continue }
            for entry in named.entries { attachments += entry.storedLength ?? 0 }
        }
    }
}
