import Documents

extension StoreCheck {
    /// The attachment digests in a revision's metadata.
    mutating func checkNames(_ attachments: [UInt8]?, _ name: String) -> Set<AttachmentDigest> {
        guard let attachments else { return [] }
        do {
            return Set(try AttachmentSet(attachments).entries.compactMap(\.digest))
        } catch {
            record(.attachment, "\(name) has attachments that cannot be read: \(error)")
            return []
        }
    }

    /// Checks that every attachment that a stored revision references is either present and recorded as used by the document, or recorded as
    /// missing.
    mutating func checkUses(
        of document: DocumentKey, _ name: String, _ digests: Set<AttachmentDigest>, _ snapshot: any StoreSnapshot
    ) throws {
        let missing = try snapshot.missingAttachments(of: document)
        if missing.contains("") { report.missingAttachments += 1 }
        for digest in digests {
            guard let attachment = try snapshot.attachment(digest) else {
                guard !missing.contains(digest.description) else {
                    report.missingAttachments += 1
                    continue
                }
                record(.attachment, "\(name) references the attachment \(digest), which does not exist")
                continue
            }
            if missing.contains(digest.description) {
                record(.attachment, "\(name) records the attachment \(digest) as missing, but it exists")
            }
            if try !snapshot.uses(document, attachment) {
                record(.attachment, "\(name) references the attachment \(digest), but is not recorded as its user")
            }
        }
    }

    /// Checks the record of an attachment.
    ///
    /// - Parameters:
    ///   - uses: The recorded number of documents that use it, and the number that there are.
    ///   - parts: The summary of its parts.
    ///   - hash: Passes the bytes of its parts, in order.
    package mutating func checkAttachment(
        _ key: Int64, length: Int64, digest: [UInt8], uses: (recorded: Int64, found: Int64), parts: AttachmentParts,
        hash: ((UnsafeRawBufferPointer) -> Void) throws -> Void
    ) throws {
        report.attachments += 1
        if uses.found != uses.recorded {
            record(.attachment, "attachment \(key) counts \(uses.recorded) documents, but \(uses.found) use it")
        }
        guard parts.isComplete, parts.length == length else {
            return record(.attachment, "attachment \(key) should have \(length) bytes, but has \(parts.count) parts with \(parts.length)")
        }
        var hasher = AttachmentHasher(.sha1)
        try hash { hasher.update($0) }
        report.attachmentBytes += length
        let found = hasher.finish()
        if found.bytes != digest { record(.attachment, "attachment \(key) has the digest \(found), which differs from the recorded one") }
    }
}
