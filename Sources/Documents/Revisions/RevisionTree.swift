/// The known revisions of one document, each with its parent: CouchDB's revision tree.
///
/// The tree is a value and holds no bodies. Its contents and its winner do not depend on the order in which revisions arrived: two trees
/// with the same revisions are equal and have the same encoded form.
///
/// A revision without a parent is a root. A tree has more than one root if the document was created twice independently, or if older
/// revisions were pruned. A parent's generation is lower than its child's, by one unless a peer left out pruned revisions.
package struct RevisionTree: Hashable, Sendable {
    /// A revision of the tree.
    package struct Node: Hashable, Sendable {
        /// The revision's ID.
        package let id: RevisionID

        /// The parent revision, if it is in the tree.
        package let parent: RevisionID?

        /// Whether the revision is a tombstone: it deletes the document.
        package let isDeleted: Bool

        /// Whether the revision has no children in the tree.
        package let isLeaf: Bool
    }

    /// The stored form of a node. `parent` is the index of another entry.
    struct Entry: Hashable, Sendable {
        let id: RevisionID
        var parent: Int32
        let isDeleted: Bool
        var isLeaf: Bool
    }

    /// The parent index of a root.
    static let none: Int32 = -1

    /// The revisions in ascending order of ID. Generations rise from parent to child, so a parent always precedes its children, and the last
    /// entry is a leaf.
    var entries: [Entry]

    /// A tree without revisions.
    package init() {
        entries = []
    }

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// The number of revisions.
    package var count: Int { entries.count }

    /// Whether the tree has no revisions.
    package var isEmpty: Bool { entries.isEmpty }

    /// Whether the tree has this revision.
    package func contains(_ id: RevisionID) -> Bool {
        index(of: id) != nil
    }

    /// The revision of this ID.
    package func node(_ id: RevisionID) -> Node? {
        index(of: id).map { node(at: $0) }
    }

    /// The parent of this revision; nil for a root and for a revision that is not in the tree.
    package func parent(of id: RevisionID) -> RevisionID? {
        node(id)?.parent
    }

    func node(at index: Int) -> Node {
        let entry = entries[index]
        let parent = entry.parent == Self.none ? nil : entries[Int(entry.parent)].id
        return Node(id: entry.id, parent: parent, isDeleted: entry.isDeleted, isLeaf: entry.isLeaf)
    }

    func index(of id: RevisionID) -> Int? {
        let place = place(of: id)
        return place < entries.count && entries[place].id == id ? place : nil
    }

    /// The index of the revision, or the index at which to insert it.
    func place(of id: RevisionID) -> Int {
        var upper = entries.count
        // New revisions are added at the end, and lookups mostly concern the last one.
        guard upper > 0, !(entries[upper - 1].id < id) else { return upper }
        var lower = 0
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].id < id { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
