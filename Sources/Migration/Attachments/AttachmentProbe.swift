import Documents
import Gateway

/// Looks for the attachments of a batch without reading them to their end, so that a dry run tells what a run would not find.
struct AttachmentProbe {
    /// The bytes have begun to come.
    private struct Found: Error {}

    let source: any MigrationSource
    let database: Database
    let missingAttachments: MigrationOptions.MissingAttachments

    /// Takes documents out of the batch that a run would not write for their attachments, and adds their faults; and notes what would be
    /// written without.
    func check(_ batch: inout PreparedBatch) async throws {
        var unknown = try await database.missingAttachments(BatchAttachments.digests(of: batch.originals))
        var missing: [[MissingAttachment]?] = []
        for document in batch.originals { missing.append(try await look(at: document, &unknown, &batch.faults)) }
        batch.documents = zip(batch.documents, missing).filter { $1 != nil }.map(\.0)
        batch.originals = zip(batch.originals, missing).filter { $1 != nil }.map(\.0)
        batch.missing = missing.compactMap { $0 }
    }

    /// - Returns: what the document would be written without; `nil` if it would not be written.
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
                    // A document can do without an ancestor's body.
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
            // That is enough.
        } catch {
            throw try AttachmentFault(error, entry, document)
        }
        if let digest = entry.digest { missing.remove(digest) }
    }
}
