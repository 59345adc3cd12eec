import Documents
import Gateway

/// A batch between reading and writing.
struct PreparedBatch: Sendable {
    /// Documents to write, in order.
    var documents: [ImportedDocument] = []

    /// Import plan of ``documents``.
    var plans = PlannedImport()

    /// The documents as read from the source, for the quarantine.
    var originals: [SourceDocument] = []

    /// Per document, its attachments whose bytes the source lacks.
    var missing: [[MissingAttachment]] = []

    /// Per document, its size.
    var sizes: [DocumentSize] = []

    /// Documents and revisions that cannot be written.
    var faults: [QuarantinedDocument] = []

    /// Revisions that the login cannot read.
    var unseen: [InaccessibleRevision] = []

    /// Attachments that are written in the documents' transaction.
    var attachments: [ImportedAttachment] = []

    /// Adds an item that is not a document.
    mutating func add(_ fault: SourceFault) {
        if fault.isUnseen {
            unseen.append(InaccessibleRevision(id: fault.id, revision: fault.revision))
        } else {
            faults.append(QuarantinedDocument(fault))
        }
    }
}

extension PreparedBatch {
    /// A batch for a dry run, without loaded attachments.
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
    /// A document whose attachments are references as read from the source.
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

/// Size of a source document.
struct DocumentSize: Sendable {
    /// Bytes of all bodies.
    private(set) var bodies = 0

    /// Bytes of the leaves' attachments, as far as the source provides their lengths.
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
