import Documents

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
        guard waiting.count == parts.count else { throw AttachmentIntake.superfluous }
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
