import Documents

/// The way from a leaf up to a copy that is to follow it: revisions without content, as 1.x servers take no history that leaves out a generation.
struct LinkRevisions: Hashable, Sendable {
    /// The most revisions between the two: a longer way comes from a client that counts wrongly. On top of itself a revision is copied over a gap, which 2.x+ servers
    /// take. 1.x servers do not: onto another branch it is not copied, and that branch stays as it is.
    static let maximumSteps = 1_000

    /// The ancestors of the copy, down to the leaf.
    let history: [RevisionID]

    private let generation: Int

    /// - Parameters:
    ///   - revision: What is copied.
    ///   - generation: That of the copy is higher.
    /// - Throws: `DocumentError` where nothing can follow, or the way is too long.
    init(of revision: RevisionID, onto leaf: RevisionID, above generation: Int) throws {
        let isGap = generation - leaf.generation > Self.maximumSteps
        guard !isGap || leaf == revision else {
            throw DocumentError(
                .badRevisions,
                "generation \(generation) is more than \(Self.maximumSteps) above the server's: delete one of the branches, or write the document under another ID"
            )
        }
        let top = isGap ? leaf.generation : generation
        var steps = [leaf]
        // One step at least tells of a copy on top of its original that it is one.
        while let last = steps.last, last.generation < top || last == revision {
            steps.append(try RevisionDigest.link(last, to: revision))
        }
        history = steps.reversed()
        self.generation = max(generation, leaf.generation)
    }

    /// The copy itself: the same content on the same way is the same revision.
    ///
    /// - Throws: `DocumentError` where nothing can follow, or the content is none.
    func revision(of body: [UInt8]) throws -> RevisionID {
        let next = try RevisionDigest.syncGateway(parent: history[0], body: body, isDeleted: false)
        guard next.generation <= generation else { return next }
        guard let copy = RevisionID(generation: generation + 1, digest: String(next.digest)) else {
            throw DocumentError(.badRevisionID, "Invalid revision ID: nothing can follow generation \(generation)")
        }
        return copy
    }
}
