public import Documents

/// Properties of a document that a feed needs without reading the revision tree.
public struct DocumentFlags: OptionSet, Hashable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The winning revision is a tombstone.
    public static let deleted = DocumentFlags(rawValue: 1 << 0)

    /// There is more than one leaf, so listing all leaves needs the tree.
    public static let branched = DocumentFlags(rawValue: 1 << 1)

    /// More than one leaf is live.
    public static let conflicted = DocumentFlags(rawValue: 1 << 2)

    /// The winning revision has attachments.
    public static let attachments = DocumentFlags(rawValue: 1 << 3)

    /// The routes assign the document to another collection, but its ID there was taken, or it is pinned and a later revision would have been
    /// routed there.
    public static let misplaced = DocumentFlags(rawValue: 1 << 4)

    /// Some revision ID in the tree is one that 2.x+ clients cannot parse.
    public static let foreign = DocumentFlags(rawValue: 1 << 5)

    /// A stored revision references attachments, or did.
    public static let usesAttachments = DocumentFlags(rawValue: 1 << 6)

    /// It is in a channel, or was.
    public static let inChannels = DocumentFlags(rawValue: 1 << 7)

    /// Its legacy ID differs from the one that the routes derive, because another document had that ID. A document whose collection was hidden
    /// keeps the flag, as it keeps the ID.
    public static let qualified = DocumentFlags(rawValue: 1 << 8)

    /// Its sync function has granted channels or roles.
    public static let grants = DocumentFlags(rawValue: 1 << 9)

    /// It has an expiry time.
    public static let expires = DocumentFlags(rawValue: 1 << 10)

    /// It was written in the unified keyspace, and a route placed it in its collection. Apps without collections may have it in their default
    /// collection.
    public static let routed = DocumentFlags(rawValue: 1 << 11)

    /// The flags that cannot be derived from the revision tree.
    public static let besidesTree: DocumentFlags = [.misplaced, .usesAttachments, .inChannels, .qualified, .grants, .expires, .routed]
}

extension DocumentFlags {
    /// The flags that are derived from a revision tree: all but ``besidesTree``.
    public init(tree: RevisionTree, hasAttachments: Bool) {
        self = []
        if tree.winner?.isDeleted == true { insert(.deleted) }
        if tree.leafCount > 1 { insert(.branched) }
        if tree.isConflicted { insert(.conflicted) }
        if hasAttachments { insert(.attachments) }
        if tree.leaves.contains(where: { tree.history(of: $0.id).contains { !$0.isNative } }) { insert(.foreign) }
    }
}

/// The document counts of a scope.
public struct DocumentCounts: Hashable, Sendable {
    public var live: Int64
    public var tombstones: Int64
    public var conflicted: Int64

    /// Documents with ``DocumentFlags/misplaced``.
    public var misplaced: Int64

    /// Documents with ``DocumentFlags/qualified``.
    public var qualified: Int64

    public init(live: Int64 = 0, tombstones: Int64 = 0, conflicted: Int64 = 0, misplaced: Int64 = 0, qualified: Int64 = 0) {
        self.live = live
        self.tombstones = tombstones
        self.conflicted = conflicted
        self.misplaced = misplaced
        self.qualified = qualified
    }
}

extension DocumentCounts {
    /// Adds `step` to the counts that a document with these flags is part of.
    package mutating func add(_ flags: DocumentFlags, _ step: Int64) {
        if flags.contains(.deleted) { tombstones += step } else { live += step }
        if flags.contains(.conflicted) { conflicted += step }
        if flags.contains(.misplaced) { misplaced += step }
        if flags.contains(.qualified) { qualified += step }
    }

    package static func + (a: DocumentCounts, b: DocumentCounts) -> DocumentCounts {
        DocumentCounts(
            live: a.live + b.live, tombstones: a.tombstones + b.tombstones, conflicted: a.conflicted + b.conflicted,
            misplaced: a.misplaced + b.misplaced, qualified: a.qualified + b.qualified)
    }
}
