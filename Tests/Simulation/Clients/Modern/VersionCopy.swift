import Documents

/// A document as a 4.x database keeps it: one revision with its version vector, and what the server is known to have of it.
struct VersionCopy {
    /// `nil` for a revision from before the database was upgraded.
    var vector: VersionVector?

    /// IDs in the tree that it had before the upgrade, the newest first: of a revision of that time with all its ancestors, later the last one, which it
    /// remembers for ever.
    var legacy: [RevisionID] = []
    var content: Content

    /// What the server is known to have: an ID in the tree, or a vector, of one version where its other ones are not known.
    var remote: Remote?

    /// What the servers at former URLs are known to have: a database keeps that for each URL, and tells it to all of them.
    var elsewhere: [RevisionName] = []

    /// Whether it was changed here and nowhere told.
    var isEdited = false

    /// The local sequence of the revision.
    var sequence: Int

    /// The contents that whoever made it has seen, and so may have written over.
    var seen: Set<Content>

    enum Remote: Hashable {
        case version(VersionVector)
        case tree(RevisionID)

        init(_ name: RevisionName) {
            switch name {
            case .version(let version): self = .version(VersionVector(current: version))
            case .tree(let revision): self = .tree(revision)
            }
        }

        var name: RevisionName {
            switch self {
            case .version(let vector): .version(vector.current)
            case .tree(let revision): .tree(revision)
            }
        }

        /// As LiteCore writes the whole of it.
        var text: String {
            switch self {
            case .version(let vector): vector.spaced
            case .tree(let revision): revision.text
            }
        }
    }

    /// Everything that the server will have once it has this revision.
    var whole: Remote { vector.map { .version($0) } ?? .tree(legacy[0]) }

    var isDirty: Bool { remote?.name != whole.name }

    var holding: Holding { Holding(winner: nil, content: content, leaves: []) }

    /// Whether another revision follows this one: LiteCore's `compareRevs` with legacy IDs (VersionVectorWithLegacy.hh).
    func order(to vector: VersionVector, endingIn tail: [RevisionID]) -> VersionOrder {
        guard let ours = self.vector else { return tail.contains(legacy[0]) ? .older : .conflicting }
        guard ours.current != vector.current else { return .same }
        // Of each vector the other one's version alone counts: after a conflict that the server's side has won, more is in the one here.
        switch (vector.contains(ours.current), ours.contains(vector.current)) {
        // Who remembers an ID takes nothing for newer that does not end in it.
        case (true, false): return tail.first == legacy.first ? .older : .conflicting
        case (false, true): return .newer
        case (true, true), (false, false): return .conflicting
        }
    }

    /// The ID that a revision remembers which is made on top of this one.
    var remembered: [RevisionID] { Array(legacy.prefix(1)) }

    /// The IDs in the tree that are told of the document when it is pushed: those before it, or the one that it remembers and what servers are known to have
    /// from before that (LiteCore, `getRevisionHistory`).
    var ancestry: [RevisionID] {
        guard vector != nil, let last = legacy.first else { return Array(legacy.dropFirst()) }
        let earlier = Set(names.dropFirst().compactMap(\.tree)).filter { $0.generation < last.generation }
        return [last] + earlier.sorted { $1 < $0 }
    }

    /// Everything that the database knows the document by: what is here first, and what each server is known to have.
    var names: [RevisionName] {
        var names = [whole.name]
        for name in [remote?.name].compactMap(\.self) + elsewhere where !names.contains(name) { names.append(name) }
        return names
    }
}

extension VersionVector {
    /// As LiteCore writes it.
    var spaced: String {
        description.replacing(";", with: "; ").replacing(",", with: ", ")
    }
}
