extension AttachmentSet {
    /// The entries with what their sender left to the receiver: digests that a stub repeats from the revision before, and `revpos`.
    ///
    /// A stub of the name and digest that the parent has, or without a digest, is the parent's entry. Any other stub must have a digest. A
    /// `revpos` that is missing or lies beyond the revision becomes its generation.
    ///
    /// - Parameters:
    ///   - generation: The generation of the revision that has these attachments.
    ///   - parent: The attachments of the nearest ancestor whose body is at hand.
    ///   - requiresRevpos: Whether a stub that the parent does not have must say its `revpos`, as 1.x clients must. 4.x clients do not
    ///     write any.
    /// - Throws: ``DocumentError`` `badAttachment`.
    public func completed(generation: Int, parent: AttachmentSet?, requiresRevpos: Bool) throws(DocumentError) -> AttachmentSet {
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

    /// The generation up to which a reader has this revision's attachments: that of the newest of `atts_since` that is the revision or
    /// one of its ancestors; 0 if none is.
    ///
    /// - Parameters:
    ///   - since: The revisions whose bodies the reader has.
    ///   - history: The revision and its ancestors, the newest first.
    public static func generation(since: [RevisionID], history: [RevisionID]) -> Int {
        guard !since.isEmpty else { return 0 }
        let since = Set(since)
        return history.first { since.contains($0) }?.generation ?? 0
    }

    /// The entries whose bytes a reader lacks: those set after the generation up to which it has them. An entry without `revpos` is
    /// taken to be missing.
    public func missing(since generation: Int) -> [AttachmentMetadata] {
        entries.filter { $0.isMissing(since: generation) }
    }
}

extension AttachmentMetadata {
    /// Whether a reader that has the attachments of this generation lacks this one.
    public func isMissing(since generation: Int) -> Bool {
        generation < 1 || (revpos ?? .max) > generation
    }
}
