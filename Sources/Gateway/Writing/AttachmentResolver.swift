import Documents
import Storage

/// Sees to it that every attachment that a revision names is here.
struct AttachmentResolver {
    struct Resolved {
        /// The metadata as it is kept: every entry a stub with digest and length.
        let json: [UInt8]
        let keys: Set<Int64>
    }

    let transaction: any StoreTransaction

    /// - Throws: ``GatewayError`` with code `missingAttachment` for one whose bytes are neither here nor came along.
    func resolve(_ write: RevisionWrite, of document: DocumentRecord?) throws -> Resolved? {
        guard var set = write.attachments, !set.entries.isEmpty else { return nil }
        var keys: Set<Int64> = []
        for index in set.entries.indices {
            keys.insert(try resolve(&set.entries[index], write, document).key)
        }
        return Resolved(json: set.stubs(), keys: keys)
    }

    private func resolve(_ entry: inout AttachmentMetadata, _ write: RevisionWrite, _ document: DocumentRecord?) throws -> AttachmentRecord {
        if let digest = entry.digest {
            if let bytes = write.attachmentBytes[digest] {
                return try transaction.insertAttachment(bytes, digest: digest)
            }
            if let found = try transaction.attachment(digest) { return found }
        }
        // CouchDB's way: a stub stands for the attachment of that name in the revision before.
        if let document, let inherited = try inherited(entry.name, from: document), let digest = inherited.digest,
            let found = try transaction.attachment(digest)
        {
            entry = inherited
            return found
        }
        throw GatewayError(
            .missingAttachment,
            "The attachment \"\(entry.name)\" of \(write.id) is a stub, but its bytes (\(entry.digest.map(\.description) ?? "no digest")) are not here; send them along")
    }

    private func inherited(_ name: String, from document: DocumentRecord) throws -> AttachmentMetadata? {
        guard let json = try transaction.body(of: document.winner, in: document)?.attachments else { return nil }
        return try AttachmentSet(json).entries.first { $0.name == name }
    }
}
