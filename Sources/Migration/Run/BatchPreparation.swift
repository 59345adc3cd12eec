import Documents
import Gateway

/// Makes a batch of a source ready to be written: attachments that are not in the store yet are brought there first.
struct BatchPreparation: Sendable {
    /// An attachment up to this size is written with the documents; a larger one part by part before them.
    private static let heldSize = 128 << 10

    /// Bytes of attachments that are held for one batch.
    private static let heldTotal = 8 << 20

    let source: any MigrationSource
    let database: Database

    func prepare(_ batch: SourceBatch) async throws -> PreparedBatch {
        var prepared = PreparedBatch()
        let documents = batch.items.compactMap { if case .document(let document) = $0 { document } else { nil } }
        var missing = try await database.missingAttachments(Self.digests(of: documents))
        var held = 0
        for item in batch.items {
            switch item {
            case .fault(let fault): prepared.faults.append(QuarantinedDocument(fault))
            case .document(let document):
                try await prepare(document, into: &prepared, missing: &missing, held: &held)
            }
        }
        return prepared
    }

    /// What the attachments of some documents are named by.
    static func digests(of documents: [SourceDocument]) -> Set<AttachmentDigest> {
        var digests: Set<AttachmentDigest> = []
        for document in documents {
            for revision in document.revisions {
                for entry in revision.attachments?.entries ?? [] { if let digest = entry.digest { digests.insert(digest) } }
            }
        }
        return digests
    }

    private func prepare(
        _ document: SourceDocument, into prepared: inout PreparedBatch, missing: inout Set<AttachmentDigest>, held: inout Int
    ) async throws {
        var imported = ImportedDocument(id: document.id, collection: document.collection, revisions: [])
        for revision in document.revisions {
            var write = RevisionWrite(
                id: document.id, kind: .replicated(history: revision.history, conflicts: .accept), isDeleted: revision.isDeleted,
                body: revision.body, attachments: revision.attachments, expiry: document.expiryToKeep)
            do {
                for index in write.attachments?.entries.indices ?? 0..<0 {
                    guard var entry = write.attachments?.entries[index] else { continue }
                    try await bring(&entry, of: revision, document, into: &prepared, missing: &missing, held: &held)
                    write.attachments?.entries[index] = entry
                }
            } catch let error as AttachmentFault {
                prepared.faults.append(QuarantinedDocument(document, revision: revision.history.first, reason: error.reason))
                // An ancestor's body is worth having, but the document can do without.
                if revision.isLeaf { return }
                continue
            }
            imported.revisions.append(write)
        }
        prepared.documents.append(imported)
        prepared.originals.append(document)
    }

    // MARK: Attachments

    /// Why an attachment's document cannot be written.
    struct AttachmentFault: Error {
        let reason: String
    }

    private func bring(
        _ entry: inout AttachmentMetadata, of revision: SourceRevision, _ document: SourceDocument, into prepared: inout PreparedBatch,
        missing: inout Set<AttachmentDigest>, held: inout Int
    ) async throws {
        if let digest = entry.digest, !missing.contains(digest) {
            if entry.source != .stub { entry = entry.stored(digest: digest, length: entry.storedLength ?? 0) }
            return
        }
        guard let id = revision.history.first else { return }
        let loader = AttachmentLoader(database: database, expected: entry.digest, holds: held < Self.heldTotal ? Self.heldSize : 0)
        do {
            if let bytes = try entry.inlineData() {
                try await loader.append(bytes[...])
            } else {
                let attachment = SourceAttachment(
                    collection: document.collection, document: document.id, revision: id, name: entry.name, digest: entry.digest)
                try await source.readAttachment(attachment) { try await loader.append($0) }
            }
            let loaded = try await loader.finish()
            if let bytes = loaded.held {
                held += bytes.bytes.count
                prepared.attachments.append(bytes)
            }
            if let digest = entry.digest { missing.remove(digest) }
            entry = entry.stored(digest: entry.digest ?? loaded.digest, length: loaded.length)
        } catch {
            try await loader.abandon()
            throw Self.fault(error, entry, document)
        }
    }

    /// What is wrong with one attachment is its document's fault; what is wrong with the source as a whole ends the run.
    static func fault(_ error: any Error, _ entry: AttachmentMetadata, _ document: SourceDocument) -> any Error {
        let what = "attachment \"\(entry.name)\" of \(document.id)"
        switch error {
        case let error as SourceError
        where error.code == .attachmentMissing || error.code == .damaged || error.code == .unsupported || error.code == .encrypted:
            return AttachmentFault(reason: "\(what): \(error)")
        case let error as DocumentError: return AttachmentFault(reason: "\(what): \(error.message)")
        case let error as GatewayError where error.code == .tooLarge || error.code == .badRequest:
            return AttachmentFault(reason: "\(what): \(error.message)")
        default: return error
        }
    }
}

extension SourceDocument {
    /// When it expires, if that is a time: what comes from outside may be any number.
    fileprivate var expiryToKeep: DocumentExpiry? {
        expiry.flatMap { 1...Int64(UInt32.max) ~= $0 ? DocumentExpiry(time: $0 * 1000) : nil }
    }
}
