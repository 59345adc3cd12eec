import Access
import Documents
package import Gateway
import Storage

/// Takes in the attachments that come with a revision, and puts them into its write.
package struct AttachmentImporter: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits

    package init(keyspace: Keyspace, limits: LegacyLimits) {
        self.keyspace = keyspace
        self.limits = limits
    }

    /// Fills in `attachments` of the write.
    ///
    /// - Parameters:
    ///   - json: `_attachments` as it came; `nil` if it did not.
    ///   - parts: what came behind the document, for the entries that follow.
    /// - Throws: ``LegacyError`` or `DocumentError` for bad base64, a digest or length that does not match, or bytes that did not come.
    package func take(_ json: [UInt8]?, parts: [ReceivedAttachment] = [], into write: inout RevisionWrite) async throws {
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
            let digest = try await keep(data, named: set.entries[index].digest, for: &write)
            set.entries[index] = set.entries[index].stored(digest: digest, length: data.count)
        }
        write.attachments = set
    }

    /// Adds to stubs what they leave out.
    ///
    /// A stub stands for an attachment that the document has already. Of other documents, and of those that the client may not see, it brings none:
    /// else whoever knows a digest could have the bytes.
    ///
    /// - Throws: ``LegacyError`` `missingStub`: CouchDB's replicator sends the bytes along then.
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
                        "The attachment \"\(set.entries[index].name)\" of \(write.id) is a stub, but \(write.id) does not have it; send its bytes along"
                    )
                }
                try known.complete(&set.entries[index], of: write)
            }
            return (set, byName)
        }
    }

    /// Small ones are written with the revision, large ones before it, in parts.
    private func keep(_ data: [UInt8], named name: AttachmentDigest?, for write: inout RevisionWrite) async throws -> AttachmentDigest {
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

    /// Sees to `revpos`, which tells readers whether they have the bytes already.
    ///
    /// CouchDB has 0 for what came to it without one, and sends stubs of that where nobody has the bytes: it sends these along once it hears that
    /// they are missing.
    private func complete(_ entry: inout AttachmentMetadata, of write: RevisionWrite) {
        if let revpos = entry.revpos, revpos < 1 { entry.revpos = nil }
        if let revpos = entry.revpos, revpos <= write.generation { return }
        // What such a write follows is found out when it is written.
        if entry.source == .stub, case .edit(nil) = write.kind { return }
        entry.revpos = write.generation
    }

    static let superfluous = LegacyError(
        .badRequest, "The body has more parts than attachments that follow: each part needs an entry with follows")
}

extension AttachmentMetadata {
    /// Forgets what an entry with new bytes says of older ones: who edits a document sends back what he has read, with the bytes replaced.
    ///
    /// Sync Gateway and CouchDB describe such bytes anew, too. Replicators describe the bytes that they send, so theirs are compared.
    fileprivate mutating func renewIfNew() {
        guard source != .stub else { return }
        self = AttachmentMetadata(name: name, contentType: contentType, encoding: encoding, encodedLength: encodedLength, source: source)
    }
}

/// Finds out which part belongs to which entry of `_attachments`.
///
/// Sync Gateway goes by digest, CouchDB by order. Writers differ in what they send, so: by digest, with the name where several parts are
/// alike; what is left by name; what is left then by order.
enum AttachmentMatcher {
    /// Makes a stub of each entry that follows, once its part has been found and verified.
    ///
    /// - Throws: ``LegacyError`` if parts are missing or left over; `DocumentError` if a digest or length does not match.
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
    /// The new revision's generation, as far as it is known before the document is.
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
