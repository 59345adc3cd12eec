import Access
import Documents
import Storage

/// Ensures that every attachment in a revision is stored, or recorded as missing.
struct AttachmentResolver {
    struct Resolved {
        /// The stored metadata: every entry is a stub with digest and length.
        let json: [UInt8]
        let keys: Set<Int64>

        /// The digests of attachments without bytes; an empty text for one without a digest.
        let missing: Set<String>
    }

    let transaction: any StoreTransaction

    /// The largest attachment, in bytes.
    let limit: Int64

    /// The keyspace and the user of the write: a stub must not give access to an invisible attachment. `nil` for the bridge's own writes.
    var writer: Keyspace?

    /// The number of ancestors that are searched for previous attachments.
    private static let ancestors = 20

    /// - Parameters:
    ///   - document: the document before the write; `nil` for a new one.
    ///   - history: the revision and its ancestors, the newest first.
    /// - Throws: ``GatewayError`` with code `missingAttachment` if bytes are neither stored nor part of the write.
    func resolve(_ write: RevisionWrite, of document: DocumentRecord?, history: [RevisionID] = []) throws -> Resolved? {
        var set = write.attachments ?? AttachmentSet()
        let known = try document.flatMap { try knownMissing(in: $0) } ?? []
        if let document, !known.isEmpty { set.entries += try withheld(by: write, besides: set, document, known) }
        guard !set.entries.isEmpty else { return nil }
        try check(set)
        if let document { try renew(&set, history, document) }
        var keys: Set<Int64> = []
        var missing: Set<String> = []
        for index in set.entries.indices {
            if let record = try resolve(&set.entries[index], write, document, known) {
                keys.insert(record.key)
            } else {
                missing.insert(set.entries[index].digest?.description ?? "")
            }
        }
        return Resolved(json: set.stubs(), keys: keys, missing: missing)
    }

    /// Refuses a set that could be stored but not read again, whoever writes it.
    private func check(_ set: AttachmentSet) throws {
        let limits = AttachmentLimits()
        do {
            try limits.check(count: set.entries.count)
            for entry in set.entries { try limits.check(name: entry.name) }
        } catch {
            throw GatewayError(Self.code(of: error), error.message, cause: error)
        }
    }

    private static func code(of error: DocumentError) -> GatewayError.Code {
        switch error.code {
        case .tooLarge: .tooLarge
        case .badJSON, .duplicateKey, .tooDeep, .badDocumentID, .badRevisionID, .badVersion, .badRevisions, .unknownRevision, .badTree,
            .badAttachment, .missingAttachment, .badBase64, .digestMismatch, .lengthMismatch, .badDelta, .badSelector, .reservedProperty:
            .badRequest
        }
    }

    private func knownMissing(in document: DocumentRecord) throws -> Set<String>? {
        guard document.flags.contains(.usesAttachments), let key = document.key else { return nil }
        return try transaction.missingAttachments(of: key)
    }

    /// 2.x+ clients do not receive attachments without bytes, because they would reject the document. So their revisions do not remove these.
    private func withheld(
        by write: RevisionWrite, besides set: AttachmentSet, _ document: DocumentRecord, _ missing: Set<String>
    ) throws -> [AttachmentMetadata] {
        guard write.isOfModernClient, !write.isDeleted else { return [] }
        return try previous(to: write, in: document)?.attachments.filter { entry in
            // The entry of a blob is removed with the blob in the body.
            missing.contains(entry.digest?.description ?? "") && !entry.name.hasPrefix("blob_") && set[entry.name] == nil
        } ?? []
    }

    /// Corrects `revpos` of attachments from another branch to this revision's generation.
    ///
    /// The resolution of a conflict may contain an attachment of the other branch, with the generation in which it was set there. A 1.x client with
    /// the parent revision would then be assumed to have the attachment, too (`atts_since`).
    private func renew(_ set: inout AttachmentSet, _ history: [RevisionID], _ document: DocumentRecord) throws {
        guard let revision = history.first, set.entries.contains(where: { $0.revpos ?? .max < revision.generation }) else { return }
        for ancestor in history.dropFirst().prefix(Self.ancestors) {
            guard let body = try transaction.body(of: ancestor, in: document) else { continue }
            let before = try body.attachments.map { try AttachmentSet($0) }
            for index in set.entries.indices {
                let entry = set.entries[index]
                guard let position = entry.revpos, position <= ancestor.generation, let digest = entry.digest,
                    try !isSame(digest, before?[entry.name]?.digest)
                else { continue }
                set.entries[index].revpos = revision.generation
            }
            return
        }
    }

    /// Whether two digests are of the same bytes. CouchDB has the MD5 of the compressed bytes for a text that it compresses, and a device has
    /// another digest of the text.
    private func isSame(_ digest: AttachmentDigest, _ other: AttachmentDigest?) throws -> Bool {
        guard let other, digest != other else { return other != nil }
        guard let record = try transaction.attachment(digest) else { return false }
        return try transaction.attachment(other)?.key == record.key
    }

    /// - Parameter known: the missing attachments of the document.
    /// - Returns: `nil` for an attachment whose bytes may be missing.
    private func resolve(
        _ entry: inout AttachmentMetadata, _ write: RevisionWrite, _ document: DocumentRecord?, _ known: Set<String>
    ) throws -> AttachmentRecord? {
        if let digest = entry.digest {
            if let bytes = write.attachmentBytes[digest] {
                guard Int64(bytes.count) <= limit else {
                    throw GatewayError(
                        .tooLarge, "The attachment \"\(entry.name)\" of \(write.id) has \(bytes.count) bytes; the limit is \(limit)")
                }
                return try transaction.insertAttachment(bytes, digest: digest)
            }
            if !write.stubsByName.contains(entry.name), let found = try transaction.attachment(digest) { return found }
        }
        // As in CouchDB, a stub stands for the parent's attachment of that name, unless its digest shows that it is another one.
        if let document, let inherited = try inherited(entry.name, by: write, from: document), let digest = inherited.digest,
            let found = try transaction.attachment(digest), try isMeant(found, by: entry)
        {
            entry = inherited
            return found
        }
        guard !write.keepsMissingAttachments else { return nil }
        // An attachment that is missing in the previous revision may stay missing.
        if let document, !known.isEmpty, let inherited = try inherited(entry.name, by: write, from: document),
            known.contains(inherited.digest?.description ?? ""), entry.digest == nil || entry.digest == inherited.digest
        {
            entry = inherited
            return nil
        }
        throw GatewayError(
            .missingAttachment,
            "The attachment \"\(entry.name)\" of \(write.id) is a stub, but its bytes (\(entry.digest.map(\.description) ?? "no digest")) are not stored; send them with the revision"
        )
    }

    /// The attachment of that name in the nearest stored ancestor of the written revision, on its branch. `nil` if the writer has no access to that
    /// ancestor.
    private func inherited(_ name: String, by write: RevisionWrite, from document: DocumentRecord) throws -> AttachmentMetadata? {
        guard let previous = try previous(to: write, in: document), try isSeen(previous.revision, of: document) else { return nil }
        return previous.attachments.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private func isSeen(_ revision: RevisionID, of document: DocumentRecord) throws -> Bool {
        guard let writer, !writer.principal.isAdministrator else { return true }
        return try Visibility(rights: try writer.rights(in: transaction), snapshot: transaction).sees(revision, of: document)
    }

    /// The nearest ancestor of the written revision whose body is stored.
    private func previous(
        to write: RevisionWrite, in document: DocumentRecord
    ) throws -> (revision: RevisionID, attachments: [AttachmentMetadata])? {
        let ancestors =
            switch write.kind {
            case .replicated(let history, _): history.dropFirst().compactMap { document.tree.lookup(modern: $0)?.id }
            case .edit(let parent?): [parent]
            case .edit(nil), .versioned: [document.winner]
            }
        for ancestor in ancestors {
            guard let body = try transaction.body(of: ancestor, in: document) else { continue }
            return (ancestor, try body.attachments.map { try AttachmentSet($0).entries } ?? [])
        }
        return nil
    }

    /// Whether a stub may stand for an attachment. For an attachment with a SHA-1 only, the MD5 is computed and stored.
    private func isMeant(_ found: AttachmentRecord, by stub: AttachmentMetadata) throws -> Bool {
        guard let digest = stub.digest, digest != found.digest else { return true }
        guard digest.algorithm == .md5, found.length <= Self.hashedLength, stub.storedLength.map({ Int64($0) == found.length }) ?? true
        else {
            return false
        }
        var hasher = AttachmentHasher(.md5)
        var offset: Int64 = 0
        while offset < found.length {
            let bytes = try transaction.attachmentBytes(found, offset: offset, count: 1 << 20)
            guard !bytes.isEmpty else { return false }
            hasher.update(bytes)
            offset += Int64(bytes.count)
        }
        guard hasher.finish() == digest else { return false }
        try transaction.addAlias(digest, for: found)
        return true
    }

    /// Larger attachments are not hashed while other writers wait: the client has to send their bytes again.
    private static let hashedLength: Int64 = 16 << 20
}

extension RevisionWrite {
    /// Whether a 2.x+ client wrote the revision.
    fileprivate var isOfModernClient: Bool {
        switch kind {
        case .replicated(_, let conflicts): conflicts == .refuse
        case .versioned: true
        case .edit: false
        }
    }
}
