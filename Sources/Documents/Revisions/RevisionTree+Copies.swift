/// Copies: what has won in a document is written once more, on top of another branch or of itself, with a higher generation.
///
/// Revisions without content name the copy or what was copied (``RevisionDigest/link(_:to:)``): the tombstone that closes the branch of the latter, or a step
/// between both. So the tree alone tells which revisions have the same content, whoever has it.
extension RevisionTree {
    /// Of how many revisions is looked up at most of what they are copies: each takes a digest for every tombstone of the tree.
    private static let lookups = 50

    /// The revisions of which this one is a copy, or a copy of a copy.
    public func originals(of id: RevisionID) -> Set<RevisionID> {
        var found: Set<RevisionID> = []
        var copies = [id]
        while let copy = copies.popLast(), found.count < Self.lookups {
            for original in closed(for: copy) + raised(to: copy) where found.insert(original).inserted { copies.append(original) }
        }
        return found
    }

    /// Whether a revision with these ancestors was written over the content of another one: over that revision, or over one of which it is a copy.
    public func builds(_ history: [RevisionID], on id: RevisionID) -> Bool {
        if history.contains(id) { return true }
        let originals = originals(of: id)
        return !originals.isEmpty && history.contains { originals.contains($0) }
    }

    /// Whether a branch goes on from the content of a revision, which is not its end: it was edited or deleted there. A tombstone that only closes the branch of
    /// an original does neither.
    public func goesOn(_ leaf: RevisionID, from id: RevisionID) -> Bool {
        guard leaf != id, let node = node(leaf) else { return false }
        let originals = originals(of: id)
        if node.isDeleted, let parent = node.parent, ([id] + originals).contains(where: { Self.isLink(leaf, parent, $0) }) { return false }
        return history(of: leaf).contains { $0 == id || originals.contains($0) }
    }

    /// Whether a revision takes another one in: by its ancestors, or by those of which they are copies.
    public func takesIn(_ earlier: RevisionID, by id: RevisionID) -> Bool {
        var seen: Set<RevisionID> = []
        var open = [id]
        var left = Self.lookups
        while let next = open.popLast() {
            for revision in history(of: next) where seen.insert(revision).inserted {
                if revision == earlier { return true }
                guard left > 0 else { continue }
                left -= 1
                open += closed(for: revision)
            }
        }
        return false
    }

    /// The copy of which this leaf is an edit, as it was written over the content that is copied: the leaf wins once the copy is closed. The first two leaves are
    /// looked at.
    ///
    /// A tombstone is no edit: whoever resolves a conflict of branches closes those that lose, and a copy is to outlive that.
    public func overtaken(by id: RevisionID) -> RevisionID? {
        let live = leaves.prefix(2).filter { !$0.isDeleted }.map(\.id)
        guard live.contains(id), let other = live.first(where: { $0 != id }), goesOn(id, from: other), !goesOn(other, from: id) else {
            return nil
        }
        return other
    }

    /// The revisions whose branches were closed for this copy of them.
    private func closed(for copy: RevisionID) -> [RevisionID] {
        entries.compactMap { entry in
            guard entry.isDeleted, entry.parent != Self.none else { return nil }
            let parent = entries[Int(entry.parent)].id
            return Self.isLink(entry.id, parent, copy) ? parent : nil
        }
    }

    /// The revision that was written once more on top of itself.
    private func raised(to copy: RevisionID) -> [RevisionID] {
        let history = history(of: copy)
        guard history.count > 2 else { return [] }
        return history.dropFirst(2).first { Self.isLink(history[1], history[2], $0) }.map { [$0] } ?? []
    }

    private static func isLink(_ id: RevisionID, _ parent: RevisionID, _ other: RevisionID) -> Bool {
        id.generation == parent.generation + 1 && (try? RevisionDigest.link(parent, to: other)) == id
    }
}
