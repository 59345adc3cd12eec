extension AttachmentSet {
    /// The entries completed with the values that senders may omit: a stub's inherited digest, and `revpos`.
    ///
    /// - A stub with the name of a parent's entry, and with the same digest or none, becomes the parent's entry.
    /// - Any other stub must have a digest.
    /// - A `revpos` that is missing or higher than `generation` becomes `generation`.
    ///
    /// - Parameters:
    ///   - generation: The generation of the revision that has these attachments.
    ///   - parent: The attachments of the nearest ancestor whose body is available.
    ///   - requiresRevpos: Whether every stub must have a `revpos`, as 1.x clients must send it. 4.x clients never send one.
    /// - Throws: ``DocumentError`` `badAttachment`.
    package func completed(generation: Int, parent: AttachmentSet?, requiresRevpos: Bool) throws(DocumentError) -> AttachmentSet {
        let inherited = Dictionary((parent?.entries ?? []).map { (ExactString($0.name), $0) }) { first, _ in first }
        var completed = self
        for (index, entry) in entries.enumerated() {
            if entry.source == .stub {
                if requiresRevpos, entry.revpos.map({ $0 < 1 }) ?? true {
                    throw AttachmentMetadata.bad(entry.name, "Missing/invalid revpos in stub attachment")
                }
                if let old = inherited[ExactString(entry.name)], entry.digest == nil || entry.digest == old.digest {
                    completed.entries[index] = old
                    continue
                }
                guard entry.digest != nil else { throw AttachmentMetadata.bad(entry.name, "Missing digest in stub attachment") }
            }
            if let revpos = entry.revpos, 1...max(1, generation) ~= revpos { continue }
            completed.entries[index].revpos = generation
        }
        return completed
    }

    /// The generation up to which a reader has this revision's attachments.
    ///
    /// This is the generation of the newest entry of `atts_since` that is the revision or one of its ancestors; 0 if there is none.
    ///
    /// - Parameters:
    ///   - since: The revisions whose bodies the reader has.
    ///   - history: The revision and its ancestors, newest first.
    package static func generation(since: [RevisionID], history: [RevisionID]) -> Int {
        guard !since.isEmpty else { return 0 }
        let since = Set(since)
        return history.first { since.contains($0) }?.generation ?? 0
    }

    /// The entries whose bytes a reader lacks: entries with a `revpos` above the generation up to which the reader has attachments.
    /// An entry without `revpos` counts as missing.
    package func missing(since generation: Int) -> [AttachmentMetadata] {
        entries.filter { $0.isMissing(since: generation) }
    }
}

extension AttachmentMetadata {
    /// Whether a reader that has the attachments up to this generation lacks this attachment.
    package func isMissing(since generation: Int) -> Bool {
        generation < 1 || (revpos ?? .max) > generation
    }
}
