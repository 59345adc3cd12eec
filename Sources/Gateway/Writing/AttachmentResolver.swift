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

    /// The largest attachment, in bytes.
    let limit: Int64

    /// - Throws: ``GatewayError`` with code `missingAttachment` for one whose bytes are neither here nor came along.
    func resolve(_ write: RevisionWrite, of document: DocumentRecord?) throws -> Resolved? {
        guard var set = write.attachments, !set.entries.isEmpty else { return nil }
        var keys: Set<Int64> = []
        for index in set.entries.indices {
            keys.insert(try resolve(&set.entries[index], write, document).key)
        }
        return Resolved(json: set.stubs(), keys: keys)
    }

    private func resolve(_ entry: inout AttachmentMetadata, _ write: RevisionWrite, _ document: DocumentRecord?) throws -> AttachmentRecord
    {
        if let digest = entry.digest {
            if let bytes = write.attachmentBytes[digest] {
                guard Int64(bytes.count) <= limit else {
                    throw GatewayError(
                        .tooLarge, "The attachment \"\(entry.name)\" of \(write.id) has \(bytes.count) bytes; the limit is \(limit)")
                }
                return try transaction.insertAttachment(bytes, digest: digest)
            }
            if let found = try transaction.attachment(digest) { return found }
        }
        // CouchDB's way: a stub stands for the attachment of that name in the revision before, unless its digest tells that it is
        // another one. (The MD5 of what is known by its SHA-1 tells nothing.)
        if let document, let inherited = try inherited(entry.name, from: document), let digest = inherited.digest,
            entry.digest.map({ $0.algorithm != digest.algorithm }) ?? true, let found = try transaction.attachment(digest)
        {
            entry = inherited
            return found
        }
        throw GatewayError(
            .missingAttachment,
            "The attachment \"\(entry.name)\" of \(write.id) is a stub, but its bytes (\(entry.digest.map(\.description) ?? "no digest")) are not here; send them along"
        )
    }

    private func inherited(_ name: String, from document: DocumentRecord) throws -> AttachmentMetadata? {
        guard let json = try transaction.body(of: document.winner, in: document)?.attachments else { return nil }
        return try AttachmentSet(json)[name]
    }
}
