import Documents
import Gateway
import Storage

/// A document's revisions as a JSON array, each in CouchDB's format with `_revisions`. The quarantine stores documents in this form.
enum QuarantinedRevisions {
    /// - Returns: The array, or the bytes of the first body that is not a JSON object.
    static func encode(_ document: SourceDocument) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (index, revision) in document.revisions.enumerated() {
            guard let id = revision.history.first else { continue }
            guard isObject(revision.body) else { return revision.body }
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            var renderer = DocumentRenderer(id: document.id, revision: id, isDeleted: revision.isDeleted, body: revision.body)
            renderer.history = revision.history
            renderer.attachments = revision.attachments.map(attachments)
            renderer.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    /// - Returns: `nil` if the bytes were not written by ``encode(_:)``.
    static func decode(_ bytes: [UInt8], collection: CollectionName) -> SourceDocument? {
        var revisions: [(ParsedDocument, [RevisionID])] = []
        do {
            try JSONReader.read(bytes) { reader in
                guard reader.kind == .array else { return }
                try reader.array { item in
                    let document = try ParsedDocument(try item.raw(), policy: .legacyUpstream)
                    if let history = document.history { revisions.append((document, history)) }
                }
            }
        } catch {
            return nil
        }
        guard let id = revisions.first?.0.id else { return nil }
        let ancestors = Set(revisions.flatMap { $0.1.dropFirst() })
        return SourceDocument(
            id: id, collection: collection,
            revisions: revisions.map { document, history in
                SourceRevision(
                    history: history, isLeaf: !ancestors.contains(history[0]), isDeleted: document.isDeleted, body: document.body,
                    attachments: document.attachments.flatMap { try? AttachmentSet($0) })
            })
    }

    private static func attachments(_ set: AttachmentSet) -> [UInt8] {
        var bytes: [UInt8] = []
        set.append(to: &bytes) { entry in
            (try? entry.inlineData()).flatMap { $0 }.map { .data($0) } ?? .stub
        }
        return bytes
    }

    private static func isObject(_ body: [UInt8]) -> Bool {
        (try? JSONReader.read(body) { $0.kind == .object }) ?? false
    }
}

/// Decodes a quarantined document.
enum QuarantineDecoder {
    /// - Returns: `nil` if the bytes are not a complete document, or lack the revision at fault.
    static func read(_ record: QuarantineRecord) -> SourceDocument? {
        guard record.length == record.bytes.count, let document = document(record) else { return nil }
        guard let revision = record.revision else { return document }
        return document.revisions.contains { $0.history.first?.text == revision } ? document : nil
    }

    private static func document(_ record: QuarantineRecord) -> SourceDocument? {
        let collection = CollectionName(record.collection) ?? .default
        if let document = QuarantinedRevisions.decode(record.bytes, collection: collection) { return document }
        let value = DumpValue(record.bytes[...], place: record.place, expectsRow: false, bodyBytes: SourceBatchLimits().bodyBytes)
        for case .document(var document) in value.items {
            document.collection = collection
            return document
        }
        return nil
    }
}
