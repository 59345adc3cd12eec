import Access
import Documents
import Storage

/// Sees to it that every attachment that a revision names is here, or is known to be missing.
struct AttachmentResolver {
    struct Resolved {
        /// The metadata as it is kept: every entry a stub with digest and length.
        let json: [UInt8]
        let keys: Set<Int64>

        /// The digests of those whose bytes are not here; an empty text for one without a digest.
        let missing: Set<String>
    }

    let transaction: any StoreTransaction

    /// The largest attachment, in bytes.
    let limit: Int64

    /// Where the revision is written, and by whom: a stub brings nobody what may not be seen. `nil` where the bridge itself writes.
    var writer: Keyspace?

    /// How many ancestors are looked at to find the attachments before a revision.
    private static let ancestors = 20

    /// - Parameters:
    ///   - document: as it was before; `nil` for a new one.
    ///   - history: the revision and its ancestors, the newest first.
    /// - Throws: ``GatewayError`` with code `missingAttachment` for one whose bytes are neither here nor came along.
    func resolve(_ write: RevisionWrite, of document: DocumentRecord?, history: [RevisionID] = []) throws -> Resolved? {
        var set = write.attachments ?? AttachmentSet()
        let known = try document.flatMap { try knownMissing(in: $0) } ?? []
        if let document, !known.isEmpty { set.entries += try untold(by: write, besides: set, document, known) }
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

    /// Refuses a set that could be stored and not be read again, whoever made it.
    private func check(_ set: AttachmentSet) throws {
        let limits = AttachmentLimits()
        do {
            try limits.check(count: set.entries.count)
            for entry in set.entries { try limits.check(name: entry.name) }
        } catch {
            throw GatewayError(error.code == .tooLarge ? .tooLarge : .badRequest, error.message, cause: error)
        }
    }

    private func knownMissing(in document: DocumentRecord) throws -> Set<String>? {
        guard document.flags.contains(.usesAttachments), let key = document.key else { return nil }
        return try transaction.missingAttachments(of: key)
    }

    /// A 2.x+ client is not told of attachments without bytes, because it would give the document up. So it does not take them away either.
    private func untold(
        by write: RevisionWrite, besides set: AttachmentSet, _ document: DocumentRecord, _ missing: Set<String>
    ) throws -> [AttachmentMetadata] {
        guard write.isOfModernClient, !write.isDeleted else { return [] }
        return try previous(to: write, in: document)?.attachments.filter { entry in
            // What stands for a blob goes with the blob, which is in the body.
            missing.contains(entry.digest?.description ?? "") && !entry.name.hasPrefix("blob_") && set[entry.name] == nil
        } ?? []
    }

    /// Whoever resolves a conflict may bring an attachment of the other branch along, with the generation in which it was set there. A 1.x client
    /// that has the revision before would be told that it has the attachment, too (`atts_since`). So it counts as set with this revision.
    private func renew(_ set: inout AttachmentSet, _ history: [RevisionID], _ document: DocumentRecord) throws {
        guard let revision = history.first, set.entries.contains(where: { $0.revpos ?? .max < revision.generation }) else { return }
        for ancestor in history.dropFirst().prefix(Self.ancestors) {
            guard let body = try transaction.body(of: ancestor, in: document) else { continue }
            let before = try body.attachments.map { try AttachmentSet($0) }
            for index in set.entries.indices {
                let entry = set.entries[index]
                guard let position = entry.revpos, position <= ancestor.generation, let digest = entry.digest,
                    before?[entry.name]?.digest != digest
                else { continue }
                set.entries[index].revpos = revision.generation
            }
            return
        }
    }

    /// - Parameter known: what the document is known to miss.
    /// - Returns: `nil` for an attachment whose bytes are missing, and may be.
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
        // CouchDB's way: a stub stands for the attachment of that name in the revision before, unless its digest tells that it is another one.
        if let document, let inherited = try inherited(entry.name, by: write, from: document), let digest = inherited.digest,
            let found = try transaction.attachment(digest), try isMeant(found, by: entry)
        {
            entry = inherited
            return found
        }
        guard !write.keepsMissingAttachments else { return nil }
        // The document goes on without the bytes that its last revision does without.
        if let document, !known.isEmpty, let inherited = try inherited(entry.name, by: write, from: document),
            known.contains(inherited.digest?.description ?? ""), entry.digest == nil || entry.digest == inherited.digest
        {
            entry = inherited
            return nil
        }
        throw GatewayError(
            .missingAttachment,
            "The attachment \"\(entry.name)\" of \(write.id) is a stub, but its bytes (\(entry.digest.map(\.description) ?? "no digest")) are not here; send them along"
        )
    }

    /// The attachment of that name in the nearest revision before the one that is written: on a branch, the branch's. `nil` if its writer may not
    /// see that revision.
    private func inherited(_ name: String, by write: RevisionWrite, from document: DocumentRecord) throws -> AttachmentMetadata? {
        guard let previous = try previous(to: write, in: document), try isSeen(previous.revision, of: document) else { return nil }
        return previous.attachments.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private func isSeen(_ revision: RevisionID, of document: DocumentRecord) throws -> Bool {
        guard let writer, !writer.principal.isAdministrator else { return true }
        return try Visibility(rights: try writer.rights(in: transaction), snapshot: transaction).sees(revision, of: document)
    }

    /// The nearest revision before the one that is written of which the body is kept.
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

    /// Whether an attachment may be the one that a stub means. Of what is known by its SHA-1, the MD5 is computed, and remembered.
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

    /// Larger attachments are not hashed while others wait to write: their bytes are sent along again.
    private static let hashedLength: Int64 = 16 << 20
}

extension RevisionWrite {
    /// Whether a client of 2.x+ made it.
    fileprivate var isOfModernClient: Bool {
        switch kind {
        case .replicated(_, let conflicts): conflicts == .refuse
        case .versioned: true
        case .edit: false
        }
    }
}
