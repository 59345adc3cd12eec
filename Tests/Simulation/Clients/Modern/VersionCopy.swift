import Documents

/// A document in a 4.x database: one revision with its version vector, and the server's known revision.
struct VersionCopy {
    /// `nil` for a revision from before the database was upgraded.
    var vector: VersionVector?

    /// IDs in the tree from before the upgrade, the newest first: a revision of that time with all its ancestors, later only the last one, which is
    /// kept forever.
    var legacy: [RevisionID] = []
    var content: Content

    /// The server's known revision: an ID in the tree, or a vector, with only one version where the others are unknown.
    var remote: Remote?

    /// The known revisions of the servers at former URLs: a database stores these for each URL, and sends them to all servers.
    var elsewhere: [RevisionName] = []

    /// Whether it was changed here and never sent.
    var isEdited = false

    /// The local sequence of the revision.
    var sequence: Int

    /// The contents that the revision's author has seen, and so may have overwritten.
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

        /// The whole vector, in LiteCore's form.
        var text: String {
            switch self {
            case .version(let vector): vector.spaced
            case .tree(let revision): revision.text
            }
        }
    }

    /// All versions that the server will have with this revision.
    var whole: Remote { vector.map { .version($0) } ?? .tree(legacy[0]) }

    var isDirty: Bool { remote?.name != whole.name }

    var holding: Holding { Holding(winner: nil, content: content, leaves: []) }

    /// Whether another revision follows this one: LiteCore's `compareRevs` with legacy IDs (VersionVectorWithLegacy.hh).
    func order(to vector: VersionVector, endingIn tail: [RevisionID]) -> VersionOrder {
        guard let ours = self.vector else { return tail.contains(legacy[0]) ? .older : .conflicting }
        guard ours.current != vector.current else { return .same }
        // Only the other side's current version counts of each vector: after a conflict that the server's side has won, the local vector includes
        // more.
        switch (vector.contains(ours.current), ours.contains(vector.current)) {
        // With an ID from before the upgrade, a revision whose history does not end in the ID is not newer.
        case (true, false): return tail.first == legacy.first ? .older : .conflicting
        case (false, true): return .newer
        case (true, true), (false, false): return .conflicting
        }
    }

    /// The ID from before the upgrade for a child of this revision.
    var remembered: [RevisionID] { Array(legacy.prefix(1)) }

    /// The IDs in the tree that a push of the document sends: its former ancestors, or the last ID, and the servers' known IDs from before the
    /// upgrade (LiteCore, `getRevisionHistory`).
    var ancestry: [RevisionID] {
        guard vector != nil, let last = legacy.first else { return Array(legacy.dropFirst()) }
        let earlier = Set(names.dropFirst().compactMap(\.tree)).filter { $0.generation < last.generation }
        return [last] + earlier.sorted { $1 < $0 }
    }

    /// All revisions by which the database knows the document: the local one first, then each server's known revision.
    var names: [RevisionName] {
        var names = [whole.name]
        for name in [remote?.name].compactMap(\.self) + elsewhere where !names.contains(name) { names.append(name) }
        return names
    }
}

extension VersionVector {
    /// In LiteCore's form.
    var spaced: String {
        description.replacing(";", with: "; ").replacing(",", with: ", ")
    }
}
