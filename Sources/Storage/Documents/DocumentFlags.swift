package import Documents

/// Properties of a document that a feed needs without reading the revision tree.
package struct DocumentFlags: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The winning revision is a tombstone.
    package static let deleted = DocumentFlags(rawValue: 1 << 0)

    /// There is more than one leaf, so listing all leaves needs the tree.
    package static let branched = DocumentFlags(rawValue: 1 << 1)

    /// More than one leaf is live.
    package static let conflicted = DocumentFlags(rawValue: 1 << 2)

    /// The winning revision has attachments.
    package static let attachments = DocumentFlags(rawValue: 1 << 3)

    /// The routes assign the document to another collection, but its ID there was taken, or it is pinned and a later revision would have been
    /// routed there.
    package static let misplaced = DocumentFlags(rawValue: 1 << 4)

    /// Some revision ID in the tree is one that 2.x+ clients cannot parse.
    package static let foreign = DocumentFlags(rawValue: 1 << 5)

    /// A stored revision references attachments, or did.
    package static let usesAttachments = DocumentFlags(rawValue: 1 << 6)

    /// It is in a channel, or was.
    package static let inChannels = DocumentFlags(rawValue: 1 << 7)

    /// Its legacy ID differs from the one that the routes derive, because another document had that ID. A document whose collection was hidden
    /// keeps the flag, as it keeps the ID.
    package static let qualified = DocumentFlags(rawValue: 1 << 8)

    /// Its sync function has granted channels or roles.
    package static let grants = DocumentFlags(rawValue: 1 << 9)

    /// It has an expiry time.
    package static let expires = DocumentFlags(rawValue: 1 << 10)

    /// It was written in the unified keyspace, and a route placed it in its collection. Apps without collections may have it in their default
    /// collection.
    package static let routed = DocumentFlags(rawValue: 1 << 11)

    /// The flags that cannot be derived from the revision tree.
    package static let besidesTree: DocumentFlags = [.misplaced, .usesAttachments, .inChannels, .qualified, .grants, .expires, .routed]
}

extension DocumentFlags {
    /// The flags that are derived from a revision tree: all but ``besidesTree``.
    ///
    /// - Parameters:
    ///   - tree: The document's revision tree.
    ///   - hasAttachments: Whether the winning revision has attachments.
    package init(tree: RevisionTree, hasAttachments: Bool) {
        self = []
        if tree.winner?.isDeleted == true { insert(.deleted) }
        if tree.leafCount > 1 { insert(.branched) }
        if tree.isConflicted { insert(.conflicted) }
        if hasAttachments { insert(.attachments) }
        if tree.leaves.contains(where: { tree.history(of: $0.id).contains { !$0.isNative } }) { insert(.foreign) }
    }
}

/// The document counts of a scope.
package struct DocumentCounts: Hashable, Sendable {
    package var live: Int64
    package var tombstones: Int64
    package var conflicted: Int64

    /// Documents with ``DocumentFlags/misplaced``.
    package var misplaced: Int64

    /// Documents with ``DocumentFlags/qualified``.
    package var qualified: Int64

    package init(live: Int64 = 0, tombstones: Int64 = 0, conflicted: Int64 = 0, misplaced: Int64 = 0, qualified: Int64 = 0) {
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
