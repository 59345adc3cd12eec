import Documents

/// A document as a 4.x database keeps it: one revision with its version vector, and what the server is known to have of it.
struct VersionCopy {
    /// `nil` for a revision from before the database was upgraded.
    var vector: VersionVector?

    /// IDs in the tree that it had before the upgrade, the newest first: of a revision of that time with all its ancestors, later those which it remembers
    /// for ever.
    var legacy: [RevisionID] = []
    var content: Content

    /// What the server is known to have: an ID in the tree, or a vector, of one version where its other ones are not known.
    var remote: Remote?

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
        let order = ours.order(to: vector)
        // Who remembers an ID takes nothing for newer that does not end in it.
        return order == .older && tail.first != legacy.first ? .conflicting : order
    }

    /// The IDs that go with a revision which is made on top of this one.
    var remembered: [RevisionID] {
        guard vector == nil else { return legacy }
        if case .tree(let revision)? = remote, revision != legacy[0] { return [legacy[0], revision] }
        return [legacy[0]]
    }
}

extension VersionVector {
    /// As LiteCore writes it.
    var spaced: String {
        description.replacing(";", with: "; ").replacing(",", with: ", ")
    }
}
