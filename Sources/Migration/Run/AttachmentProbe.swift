import Documents
import Gateway

/// Looks for the attachments of a batch without reading them to their end, so that a dry run tells what a run would not find.
struct AttachmentProbe {
    /// The bytes have begun to come.
    private struct Found: Error {}

    let source: any MigrationSource
    let database: Database

    /// Takes documents out of the batch whose attachments are not to be had, and adds their faults.
    func check(_ batch: inout PreparedBatch) async throws {
        var missing = try await database.missingAttachments(BatchAttachments.digests(of: batch.originals))
        var whole: [Bool] = []
        for document in batch.originals { whole.append(try await isWhole(document, &missing, &batch.faults)) }
        batch.documents = zip(batch.documents, whole).filter(\.1).map(\.0)
        batch.originals = zip(batch.originals, whole).filter(\.1).map(\.0)
    }

    private func isWhole(
        _ document: SourceDocument, _ missing: inout Set<AttachmentDigest>, _ faults: inout [QuarantinedDocument]
    ) async throws -> Bool {
        for revision in document.revisions {
            do {
                for entry in revision.attachments?.entries ?? [] { try await look(for: entry, of: revision, document, &missing) }
            } catch let error as AttachmentFault {
                faults.append(QuarantinedDocument(document, revision: revision.history.first, reason: error.reason))
                // A document can do without an ancestor's body.
                if revision.isLeaf { return false }
            }
        }
        return true
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
