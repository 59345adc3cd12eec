package import Documents
import Gateway
package import LegacyClient

/// A live 1.x server: Sync Gateway, CouchDB, PouchDB Server. Documents are read in the order of its changes feed; cursors are sequences.
package final class LegacyServerSource: RevisionListingSource {
    /// Largest number of documents in a batch, because the size of the server's responses is not limited.
    private static let longestBatch = 500

    package let label: String
    private let reader: LegacyReader

    /// - Parameters:
    ///   - reader: Reader of the server; closed with the source.
    ///   - label: The URL without credentials.
    package init(_ reader: LegacyReader, label: String) {
        self.reader = reader
        self.label = label
    }

    package func summary() async throws -> SourceSummary {
        try await reading {
            let info = try await self.reader.describe()
            return SourceSummary(
                kind: info.server, identity: info.identity, documents: info.documents, seenChannels: try await self.reader.channels())
        }
    }

    package func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        try await reading { () -> SourceBatch? in
            let changes = try await self.reader.changes(since: cursor?.rawValue, limit: min(limits.documents, Self.longestBatch))
            guard let last = changes.last else { return nil }
            let documents = try await self.reader.leaves(of: changes)
            return SourceBatch(items: documents.flatMap { Self.items($0, limits) }, cursor: SourceCursor(rawValue: last.sequence))
        }
    }

    package func outlines(after cursor: SourceCursor?, limit: Int) async throws -> [RevisionListing] {
        try await reading {
            try await self.reader.changes(since: cursor?.rawValue, limit: limit).map { change in
                RevisionListing(
                    id: change.id, leaves: change.revisions.compactMap { RevisionID($0) }, isDeleted: change.isDeleted,
                    sequence: change.sequence)
            }
        }
    }

    package func documents(_ outlines: [RevisionListing]) async throws -> [SourceItem] {
        try await reading {
            let changes = outlines.map { outline in
                LegacyChange(
                    id: outline.id, revisions: outline.leaves.map(\.text), isDeleted: outline.isDeleted, sequence: outline.sequence)
            }
            return try await self.reader.leaves(of: changes).flatMap { Self.items($0, SourceBatchLimits()) }
        }
    }

    package func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        do {
            try await reader.readAttachment(named: attachment.name, of: attachment.document, revision: attachment.revision, consume)
        } catch let error as ReplicationError where error.code == .notFound {
            throw SourceError(.attachmentMissing, "\(label) does not have its bytes", cause: error)
        } catch let error as ReplicationError {
            throw Self.failure(error)
        }
    }

    package func close() async {
        await reader.close()
    }

    private static func items(_ document: LegacyServerDocument, _ limits: SourceBatchLimits) -> [SourceItem] {
        let id = document.change.id
        if let fault = document.fault { return [.fault(SourceFault(id: id, reason: fault))] }
        var faults = document.leaves.isEmpty ? [] : document.unseen.map { unseen(id, revision: $0) }
        var revisions: [SourceRevision] = []
        for leaf in document.leaves {
            guard let revision = leaf.revision else { continue }
            func fault(_ reason: String, _ bytes: [UInt8] = []) {
                faults.append(.fault(SourceFault(id: id, revision: revision.text, reason: reason, bytes: bytes)))
            }
            guard let history = leaf.history ?? (revision.generation == 1 ? [revision] : nil) else {
                fault("the server sent revision \(revision) without its history", leaf.body)
                continue
            }
            guard leaf.body.count <= limits.bodyBytes else {
                fault("the body has \(leaf.body.count) bytes; the limit is \(limits.bodyBytes)", leaf.body)
                continue
            }
            do {
                var attachments = try leaf.attachments.map { try AttachmentSet($0) }
                for index in attachments?.entries.indices ?? 0..<0 { attachments?.entries[index].removeEncodedDigest() }
                revisions.append(
                    SourceRevision(history: history, isDeleted: leaf.isDeleted, body: leaf.body, attachments: attachments))
            } catch {
                fault("its attachments cannot be read: \((error as? DocumentError)?.message ?? "\(error)")", leaf.body)
            }
        }
        guard !revisions.isEmpty else { return document.leaves.isEmpty ? [unseen(id, revision: nil)] : faults }
        return [.document(SourceDocument(id: id, revisions: revisions, sequence: document.change.sequence))] + faults
    }

    private static func unseen(_ id: String, revision: String?) -> SourceItem {
        .fault(SourceFault(id: id, revision: revision, reason: "the user may not see it", isUnseen: true))
    }

    private func reading<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as ReplicationError {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: ReplicationError) -> SourceError {
        switch error.code.known {
        case .unauthorized, .forbidden: SourceError(.unauthorized, "\(error.message). Is the login right?")
        case .notFound: SourceError(.noDatabase, "\(error.message). Is the database's name right?")
        case .badRequest: SourceError(.changed, error.message)
        case .methodNotAllowed, .notAcceptable, .timeout, .conflict, .preconditionFailed, .tooLarge, .unsupportedType, .unavailable,
            .badAttachment, .upstream, .serverRestored, .database, .callback, .badURL, .timedOut, .cannotConnect, .connectionLost,
            .untrusted, nil:
            SourceError(.unreachable, error.text)
        }
    }
}

extension AttachmentMetadata {
    /// Content types that CouchDB compresses before hashing (`compressible_types`). Their MD5 digests are those of the compressed bytes, which
    /// are never transferred.
    private static let compressed = ["text/", "application/javascript", "application/json", "application/xml"]

    mutating fileprivate func removeEncodedDigest() {
        guard digest?.algorithm == .md5, let contentType, Self.compressed.contains(where: contentType.hasPrefix) else { return }
        digest = nil
    }
}

/// A document's leaves, as listed by a source without reading the document.
package struct RevisionListing: Sendable, Hashable {
    package let id: String
    package let leaves: [RevisionID]

    /// Whether the winner is a tombstone.
    package let isDeleted: Bool

    /// Its sequence in the source's changes feed.
    package let sequence: String

    package init(id: String, leaves: [RevisionID], isDeleted: Bool, sequence: String) {
        self.id = id
        self.leaves = leaves
        self.isDeleted = isDeleted
        self.sequence = sequence
    }
}

/// A source that lists revisions without reading documents: a live server with a changes feed.
package protocol RevisionListingSource: MigrationSource {
    /// The next documents, in the order of ``MigrationSource/batch(after:limits:)`` and with its cursors.
    ///
    /// - Returns: An empty array at the end. The sequence of the last listing is the next cursor.
    /// - Throws: ``SourceError``.
    func outlines(after cursor: SourceCursor?, limit: Int) async throws -> [RevisionListing]

    /// The current documents, and the faults of those that cannot be read.
    ///
    /// - Throws: ``SourceError``.
    func documents(_ outlines: [RevisionListing]) async throws -> [SourceItem]
}
