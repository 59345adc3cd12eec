/// The revisions of one document that are known, each with its parent: CouchDB's revision tree.
///
/// The tree is a value and holds no bodies. What it holds does not depend on the order in which revisions arrived, and neither does
/// its winner: two trees with the same revisions are equal and have the same encoded form.
///
/// A revision without a parent is a root. There is more than one root where a document was created twice independently, or where
/// older revisions were pruned. A parent's generation is lower than its child's, by one unless a peer left out revisions that it had
/// pruned.
public struct RevisionTree: Hashable, Sendable {
    /// A revision of the tree.
    public struct Node: Hashable, Sendable {
        /// The revision's ID.
        public let id: RevisionID

        /// The revision before it, if the tree has it.
        public let parent: RevisionID?

        /// Whether the revision deletes the document: a tombstone.
        public let isDeleted: Bool

        /// Whether no revision of the tree follows this one.
        public let isLeaf: Bool
    }

    /// A node as it is kept: its parent is the place of another entry.
    struct Entry: Hashable, Sendable {
        let id: RevisionID
        var parent: Int32
        let isDeleted: Bool
        var isLeaf: Bool
    }

    /// The parent of a root.
    static let none: Int32 = -1

    /// In ascending order of ID. Generations rise from parent to child, so a parent always lies before its children, and the last
    /// entry is a leaf.
    var entries: [Entry]

    /// A tree without revisions.
    public init() {
        entries = []
    }

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// How many revisions the tree has.
    public var count: Int { entries.count }

    /// Whether the tree has no revisions.
    public var isEmpty: Bool { entries.isEmpty }

    /// Whether the tree has this revision.
    public func contains(_ id: RevisionID) -> Bool {
        index(of: id) != nil
    }

    /// The revision of this ID.
    public func node(_ id: RevisionID) -> Node? {
        index(of: id).map { node(at: $0) }
    }

    /// The revision before this one; nil for a root and for a revision that the tree does not have.
    public func parent(of id: RevisionID) -> RevisionID? {
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

    /// Where the revision is, or where it would have to be put.
    func place(of id: RevisionID) -> Int {
        var upper = entries.count
        // New revisions come last, and known ones are most often the last.
        guard upper > 0, !(entries[upper - 1].id < id) else { return upper }
        var lower = 0
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].id < id { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
