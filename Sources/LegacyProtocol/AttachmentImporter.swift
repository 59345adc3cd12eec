import Access
import Documents
package import Gateway
import Storage

/// Stores the attachments that are received with a revision, and adds them to its write.
package struct AttachmentImporter: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits

    package init(keyspace: Keyspace, limits: LegacyLimits) {
        self.keyspace = keyspace
        self.limits = limits
    }

    /// Sets `attachments` of the write.
    ///
    /// - Parameters:
    ///   - json: The received `_attachments`; `nil` if there is none.
    ///   - parts: The parts after the document, for entries with `follows`.
    /// - Throws: ``LegacyError`` or `DocumentError` for invalid base64, a digest or length that does not match, or missing bytes.
    package func importAttachments(_ json: [UInt8]?, parts: [ReceivedAttachment] = [], into write: inout RevisionWrite) async throws {
        guard let json else {
            guard parts.isEmpty else { throw Self.superfluous }
            return
        }
        var set = try AttachmentSet(json, describesDataAnew: !write.isReplicated)
        try await completeStubs(of: &set, in: &write)
        if !write.isReplicated, parts.contains(where: \.wasInline) {
            for index in set.entries.indices { set.entries[index].renewIfNew() }
        }
        try AttachmentMatcher.match(&set, with: parts)
        for index in set.entries.indices {
            if !write.isReplicated, case .inline = set.entries[index].source { set.entries[index].renewIfNew() }
            complete(&set.entries[index], of: write)
            guard let data = try set.entries[index].inlineData() else { continue }
            let digest = try await store(data, named: set.entries[index].digest, for: &write)
            set.entries[index] = set.entries[index].stored(digest: digest, length: data.count)
        }
        write.attachments = set
    }

    /// Adds the members to stubs that the client has omitted.
    ///
    /// A stub refers to an attachment that the document already has. It gives no access to attachments of other documents, nor to those that the
    /// client may not read; otherwise knowledge of a digest would suffice to get the bytes.
    ///
    /// - Throws: ``LegacyError`` `missingStub`: CouchDB's replicator then sends the bytes.
    private func completeStubs(of set: inout AttachmentSet, in write: inout RevisionWrite) async throws {
        guard set.entries.contains(where: { $0.source == .stub }) else { return }
        let isChecked = !keyspace.principal.isAdministrator
        let given = set
        (set, write.stubsByName) = try await keyspace.read { [write] snapshot in
            let known = try KnownAttachments(of: write, in: snapshot)
            var set = given
            var byName: Set<String> = []
            for index in set.entries.indices where set.entries[index].source == .stub {
                let match = isChecked ? try known.match(set.entries[index]) : .digest
                switch match {
                case .digest: break
                case .name: byName.insert(set.entries[index].name)
                case nil:
                    throw LegacyError(
                        .missingStub,
                        "The attachment \"\(set.entries[index].name)\" of \(write.id) is a stub, but \(write.id) does not have the attachment; send its bytes"
                    )
                }
                try known.complete(&set.entries[index], of: write)
            }
            return (set, byName)
        }
    }

    /// Stores inline data. Small attachments are written with the revision, large ones before it, in chunks.
    private func store(_ data: [UInt8], named name: AttachmentDigest?, for write: inout RevisionWrite) async throws -> AttachmentDigest {
        guard data.count > limits.bufferedAttachmentSize else {
            let digest = AttachmentDigest.sha1(of: data)
            write.attachmentBytes[digest] = data
            return digest
        }
        let upload = keyspace.receiveAttachment(expecting: name)
        var rest = data[...]
        while !rest.isEmpty {
            try await upload.append(rest.prefix(limits.chunkSize))
            rest = rest.dropFirst(limits.chunkSize)
        }
        return try await upload.finish().digest
    }

    /// Corrects `revpos`, by which readers decide whether they have the bytes already.
    ///
    /// CouchDB uses 0 for attachments that it received without `revpos`, and sends stubs of them even if the receiver lacks the bytes. It sends
    /// the bytes when the receiver reports them as missing.
    private func complete(_ entry: inout AttachmentMetadata, of write: RevisionWrite) {
        if let revpos = entry.revpos, revpos < 1 { entry.revpos = nil }
        if let revpos = entry.revpos, revpos <= write.generation { return }
        // The parent of such a write is determined when it is written.
        if entry.source == .stub, case .edit(nil) = write.kind { return }
        entry.revpos = write.generation
    }

    static let superfluous = LegacyError(
        .badRequest, "The body has more parts than attachments that follow: each part needs an entry with follows")
}

extension AttachmentMetadata {
    /// Discards the old description of an entry with new bytes. A client that edits a document sends back the entry that it has read with
    /// replaced bytes.
    ///
    /// Sync Gateway and CouchDB also compute the description again. Replicators describe the bytes that they send, so their descriptions are
    /// verified.
    fileprivate mutating func renewIfNew() {
        guard source != .stub else { return }
        self = AttachmentMetadata(name: name, contentType: contentType, encoding: encoding, encodedLength: encodedLength, source: source)
    }
}

/// Assigns the parts of a body to the entries of `_attachments`.
///
/// Sync Gateway matches by digest, CouchDB by order, and clients send either. The rules are therefore applied in this order: digest and name,
/// digest, name, order.
enum AttachmentMatcher {
    /// Replaces each entry that follows by a stub, after its part was found and verified.
    ///
    /// - Throws: ``LegacyError`` if parts are missing or superfluous; `DocumentError` if a digest or length does not match.
    static func match(_ set: inout AttachmentSet, with parts: [ReceivedAttachment]) throws {
        let waiting = set.entries.indices.filter { set.entries[$0].source == .follows }
        guard waiting.count <= parts.count else {
            let names = waiting.dropFirst(parts.count).map { "\"\(set.entries[$0].name)\"" }.joined(separator: ", ")
            throw LegacyError(.badRequest, "The body has \(parts.count) parts for \(waiting.count) attachments that follow: \(names)")
        }
        guard waiting.count == parts.count else { throw AttachmentImporter.superfluous }
        var free = Array(parts.indices)
        var found: [Int: Int] = [:]
        for rule in rules {
            for index in waiting where found[index] == nil {
                guard let place = free.firstIndex(where: { rule(set.entries[index], parts[$0]) }) else { continue }
                found[index] = free.remove(at: place)
            }
        }
        for index in waiting {
            guard let part = found[index] else { continue }
            set.entries[index] = try verified(set.entries[index], parts[part])
        }
    }

    private static let rules: [@Sendable (AttachmentMetadata, ReceivedAttachment) -> Bool] = [
        { hasDigest($0, $1) && hasName($0, $1) },
        { hasDigest($0, $1) },
        { hasName($0, $1) },
        { _, _ in true },
    ]

    private static func hasDigest(_ entry: AttachmentMetadata, _ part: ReceivedAttachment) -> Bool {
        entry.digest.map { part.digest(like: $0) == $0 } ?? false
    }

    private static func hasName(_ entry: AttachmentMetadata, _ part: ReceivedAttachment) -> Bool {
        part.filename.map { $0.utf8.elementsEqual(entry.name.utf8) } ?? false
    }

    private static func verified(_ entry: AttachmentMetadata, _ part: ReceivedAttachment) throws -> AttachmentMetadata {
        try entry.verify(length: Int(part.length))
        if let digest = entry.digest, let computed = part.digest(like: digest) { try digest.verify(computed) }
        return entry.stored(digest: part.sha1, length: Int(part.length))
    }
}

extension RevisionWrite {
    /// The generation of the revision, as far as it is known before the write.
    var generation: Int {
        switch kind {
        case .replicated(let history, _): history.first?.generation ?? 1
        case .versioned(let made): (made.history.legacy.first?.generation ?? 0) + 1
        case .edit(let parent): (parent?.generation ?? 0) + 1
        }
    }

    package var isReplicated: Bool {
        if case .replicated = kind { true } else { false }
    }
}
