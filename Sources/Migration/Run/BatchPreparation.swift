import Documents
import Gateway

/// Prepares a batch for writing: reads the attachments that the store lacks.
struct BatchPreparation: Sendable {
    let source: any MigrationSource
    let database: Database
    let missingAttachments: MigrationOptions.MissingAttachmentPolicy

    func prepare(_ batch: SourceBatch) async throws -> PreparedBatch {
        var prepared = PreparedBatch()
        let documents = batch.items.compactMap { if case .document(let document) = $0 { document } else { nil } }
        var attachments = try await BatchAttachments(of: documents, source: source, database: database)
        var number = 0
        for item in batch.items {
            switch item {
            case .fault(let fault): prepared.add(fault)
            case .document(let document):
                try await prepare(document, number, into: &prepared, &attachments)
                number += 1
            }
        }
        prepared.plans = try await database.planImport(prepared.documents)
        return prepared
    }

    private func prepare(
        _ document: SourceDocument, _ number: Int, into prepared: inout PreparedBatch, _ attachments: inout BatchAttachments
    ) async throws {
        var imported = ImportedDocument(id: document.id, collection: document.collection, revisions: [])
        imported.origin = document.origin
        var missing: [MissingAttachment] = []
        for (index, revision) in document.revisions.enumerated() {
            var write = RevisionWrite(
                id: document.id, kind: .replicated(history: revision.history, conflicts: .accept), isDeleted: revision.isDeleted,
                body: revision.body, attachments: revision.attachments, expiry: document.expiryToKeep)
            write.keepsMissingAttachments = missingAttachments == .keep
            do {
                for entry in write.attachments?.entries.indices ?? 0..<0 {
                    guard var changed = write.attachments?.entries[entry] else { continue }
                    let place = BatchAttachments.Place(document: number, revision: index, entry: entry)
                    do {
                        if let bytes = try await attachments.resolve(&changed, at: place) { prepared.attachments.append(bytes) }
                    } catch let error as AttachmentFault where error.isMissing && missingAttachments == .keep {
                        changed.source = .stub
                        missing.append(MissingAttachment(changed, of: document, revision))
                    }
                    write.attachments?.entries[entry] = changed
                }
            } catch let error as AttachmentFault {
                prepared.faults.append(QuarantinedDocument(document, revision: revision.history.first, reason: error.reason))
                // The document can be written without an ancestor's body.
                if revision.isLeaf { return }
                continue
            }
            imported.revisions.append(write)
        }
        prepared.documents.append(imported)
        prepared.originals.append(document)
        prepared.missing.append(missing)
        prepared.sizes.append(DocumentSize(document))
    }
}

extension SourceDocument {
    /// The document's expiry if it is a valid time; sources may contain any number.
    fileprivate var expiryToKeep: DocumentExpiry? {
        expiry.flatMap { 1...Int64(UInt32.max) ~= $0 ? DocumentExpiry(time: $0 * 1000) : nil }
    }
}
