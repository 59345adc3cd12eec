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

    /// How many ancestors are looked at to find the attachments before a revision.
    private static let ancestors = 20

    /// - Parameters:
    ///   - document: as it was before; `nil` for a new one.
    ///   - history: the revision and its ancestors, the newest first.
    /// - Throws: ``GatewayError`` with code `missingAttachment` for one whose bytes are neither here nor came along.
    func resolve(_ write: RevisionWrite, of document: DocumentRecord?, history: [RevisionID] = []) throws -> Resolved? {
        guard var set = write.attachments, !set.entries.isEmpty else { return nil }
        if let document { try renew(&set, history, document) }
        var keys: Set<Int64> = []
        for index in set.entries.indices {
            keys.insert(try resolve(&set.entries[index], write, document).key)
        }
        return Resolved(json: set.stubs(), keys: keys)
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
        // CouchDB's way: a stub stands for the attachment of that name in the revision before, unless its digest tells that it is another one.
        if let document, let inherited = try inherited(entry.name, by: write, from: document), let digest = inherited.digest,
            let found = try transaction.attachment(digest), try isMeant(found, by: entry)
        {
            entry = inherited
            return found
        }
        throw GatewayError(
            .missingAttachment,
            "The attachment \"\(entry.name)\" of \(write.id) is a stub, but its bytes (\(entry.digest.map(\.description) ?? "no digest")) are not here; send them along"
        )
    }

    /// The attachment of that name in the nearest revision before the one that is written: on a branch, the branch's.
    private func inherited(_ name: String, by write: RevisionWrite, from document: DocumentRecord) throws -> AttachmentMetadata? {
        let ancestors =
            switch write.kind {
            case .replicated(let history, _): history.dropFirst().compactMap { document.tree.lookup(modern: $0)?.id }
            case .edit(let parent?): [parent]
            case .edit(nil), .versioned: [document.winner]
            }
        for ancestor in ancestors {
            guard let body = try transaction.body(of: ancestor, in: document) else { continue }
            return try body.attachments.flatMap { try AttachmentSet($0)[name] }
        }
        return nil
    }

    /// Whether an attachment may be the one that a stub means. Of what is known by its SHA-1, the MD5 is computed, and remembered.
    private func isMeant(_ found: AttachmentRecord, by stub: AttachmentMetadata) throws -> Bool {
        guard let digest = stub.digest else { return true }
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
