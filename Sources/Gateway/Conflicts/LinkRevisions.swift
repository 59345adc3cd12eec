import Documents

/// The revisions between a leaf and the copy that follows it. They have no content; 1.x servers refuse histories with missing generations.
struct LinkRevisions: Hashable, Sendable {
    /// The maximum number of revisions between the leaf and the copy. A larger distance comes from a client with invalid generations. A copy on top
    /// of its original may leave a gap instead, which 2.x+ servers accept. 1.x servers do not: a copy onto another branch is refused, and that
    /// branch stays unchanged.
    static let maximumSteps = 1_000

    /// The ancestors of the copy, down to the leaf.
    let history: [RevisionID]

    private let generation: Int

    /// - Parameters:
    ///   - revision: The revision to copy.
    ///   - generation: The copy gets a higher generation than this.
    /// - Throws: `DocumentError` where no revision can follow, or the distance is too large.
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
        // A copy on top of its original needs at least one step, which identifies it as a copy.
        while let last = steps.last, last.generation < top || last == revision {
            steps.append(try RevisionDigest.link(last, to: revision))
        }
        history = steps.reversed()
        self.generation = max(generation, leaf.generation)
    }

    /// The copy's revision ID. The same content on the same path gives the same ID.
    ///
    /// - Throws: `DocumentError` where no revision can follow, or `body` is not valid.
    func revision(of body: [UInt8]) throws -> RevisionID {
        let next = try RevisionDigest.syncGateway(parent: history[0], body: body, isDeleted: false)
        guard next.generation <= generation else { return next }
        guard let copy = RevisionID(generation: generation + 1, digest: String(next.digest)) else {
            throw DocumentError(.badRevisionID, "Invalid revision ID: nothing can follow generation \(generation)")
        }
        return copy
    }
}
