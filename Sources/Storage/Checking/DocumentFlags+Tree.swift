public import Documents

extension DocumentFlags {
    /// What follows from a revision tree: every flag but those ``besidesTree``.
    ///
    /// - Parameters:
    ///   - tree: The document's revision tree.
    ///   - hasAttachments: Whether the winning revision has attachments.
    public init(tree: RevisionTree, hasAttachments: Bool) {
        self = []
        if tree.winner?.isDeleted == true { insert(.deleted) }
        if tree.leafCount > 1 { insert(.branched) }
        if tree.isConflicted { insert(.conflicted) }
        if hasAttachments { insert(.attachments) }
        if tree.leaves.contains(where: { tree.history(of: $0.id).contains { !$0.isNative } }) { insert(.foreign) }
    }
}
