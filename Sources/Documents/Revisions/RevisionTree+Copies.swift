/// Copies of revisions.
///
/// A copy repeats the content of a winning revision with a higher generation, as a child of another branch or of the same one.
/// Revisions without content link a copy and its original (``RevisionDigest/link(_:to:)``). Such a link is either the tombstone that closes
/// the original's branch, or a step between original and copy. So the tree alone determines which revisions have the same content.
extension RevisionTree {
    /// The maximum number of revisions whose originals are searched. Each search computes a digest for every tombstone of the tree.
    private static let lookups = 50

    /// The revisions of which this revision is a copy, directly or through other copies.
    package func originals(of id: RevisionID) -> Set<RevisionID> {
        var found: Set<RevisionID> = []
        var copies = [id]
        while let copy = copies.popLast(), found.count < Self.lookups {
            for original in closed(for: copy) + raised(to: copy) where found.insert(original).inserted { copies.append(original) }
        }
        return found
    }

    /// Whether a revision with these ancestors was written over the content of `id`: its ancestors include `id` or an original of `id`.
    package func builds(_ history: [RevisionID], on id: RevisionID) -> Bool {
        if history.contains(id) { return true }
        let originals = originals(of: id)
        return !originals.isEmpty && history.contains { originals.contains($0) }
    }

    /// Whether a branch continues from the content of `id`, which is not its leaf: the content was edited or deleted in that branch.
    ///
    /// A tombstone that only closes the branch of an original does not count.
    package func goesOn(_ leaf: RevisionID, from id: RevisionID) -> Bool {
        guard leaf != id, let node = node(leaf) else { return false }
        let originals = originals(of: id)
        if node.isDeleted, let parent = node.parent, ([id] + originals).contains(where: { Self.isLink(leaf, parent, $0) }) { return false }
        return history(of: leaf).contains { $0 == id || originals.contains($0) }
    }

    /// Whether the ancestry of `id` includes `earlier`, also through the originals of copies among the ancestors.
    package func takesIn(_ earlier: RevisionID, by id: RevisionID) -> Bool {
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

    /// The live leaf that `id` overtakes: `id` is an edit of the content of which that leaf is a copy. `id` wins once the copy is closed.
    ///
    /// Only the first two leaves are considered. A tombstone is not an edit: resolving a conflict of branches closes the losing ones, and the
    /// copy must survive that.
    package func overtaken(by id: RevisionID) -> RevisionID? {
        let live = leaves.prefix(2).filter { !$0.isDeleted }.map(\.id)
        guard live.contains(id), let other = live.first(where: { $0 != id }), goesOn(id, from: other), !goesOn(other, from: id) else {
            return nil
        }
        return other
    }

    /// The revisions whose branches were closed in favor of this copy of them.
    private func closed(for copy: RevisionID) -> [RevisionID] {
        entries.compactMap { entry in
            guard entry.isDeleted, entry.parent != Self.none else { return nil }
            let parent = entries[Int(entry.parent)].id
            return Self.isLink(entry.id, parent, copy) ? parent : nil
        }
    }

    /// The revision of which this is a copy on its own branch.
    private func raised(to copy: RevisionID) -> [RevisionID] {
        let history = history(of: copy)
        guard history.count > 2 else { return [] }
        return history.dropFirst(2).first { Self.isLink(history[1], history[2], $0) }.map { [$0] } ?? []
    }

    private static func isLink(_ id: RevisionID, _ parent: RevisionID, _ other: RevisionID) -> Bool {
        id.generation == parent.generation + 1 && (try? RevisionDigest.link(parent, to: other)) == id
    }
}
