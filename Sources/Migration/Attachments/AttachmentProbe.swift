import Documents
import Gateway

/// Checks that the source has a batch's attachments without reading them to the end, so that a dry run reports missing ones.
struct AttachmentProbe {
    /// Thrown to stop reading once the first bytes arrive.
    private struct Found: Error {}

    let source: any MigrationSource
    let database: Database
    let missingAttachments: MigrationOptions.MissingAttachmentPolicy

    /// Removes documents that a run would not write because of their attachments and adds their faults. Records the attachments that the
    /// remaining documents would lack.
    func check(_ batch: inout PreparedBatch) async throws {
        var unknown = try await database.missingAttachments(BatchAttachments.digests(of: batch.originals))
        var missing: [[MissingAttachment]?] = []
        for document in batch.originals { missing.append(try await look(at: document, &unknown, &batch.faults)) }
        batch.documents = zip(batch.documents, missing).filter { $1 != nil }.map(\.0)
        batch.originals = zip(batch.originals, missing).filter { $1 != nil }.map(\.0)
        batch.missing = missing.compactMap { $0 }
    }

    /// - Returns: The attachments that the document would lack; `nil` if it would not be written.
    private func look(
        at document: SourceDocument, _ unknown: inout Set<AttachmentDigest>, _ faults: inout [QuarantinedDocument]
    ) async throws -> [MissingAttachment]? {
        var missing: [MissingAttachment] = []
        for revision in document.revisions {
            for entry in revision.attachments?.entries ?? [] {
                do {
                    try await look(for: entry, of: revision, document, &unknown)
                } catch let error as AttachmentFault where error.isMissing && missingAttachments == .keep {
                    missing.append(MissingAttachment(entry, of: document, revision))
                } catch let error as AttachmentFault {
                    faults.append(QuarantinedDocument(document, revision: revision.history.first, reason: error.reason))
                    // The document can be written without an ancestor's body.
                    if revision.isLeaf { return nil }
                    break
                }
            }
        }
        return missing
    }

    private func look(
        for entry: AttachmentMetadata, of revision: SourceRevision, _ document: SourceDocument, _ missing: inout Set<AttachmentDigest>
    ) async throws {
        if let digest = entry.digest, !missing.contains(digest) { return }
        do {
            if try entry.inlineData() == nil, let id = revision.history.first {
                let attachment = SourceAttachment(
                    collection: document.collection, document: document.id, revision: id, name: entry.name, digest: entry.digest)
                try await source.readAttachment(attachment) { _ in throw Found() }
            }
        } catch is Found {
            // The attachment exists.
        } catch {
            throw try AttachmentFault(error, entry, document)
        }
        if let digest = entry.digest { missing.remove(digest) }
    }
}
