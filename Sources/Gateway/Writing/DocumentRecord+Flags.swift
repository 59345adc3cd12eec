import Documents
import Storage

extension DocumentRecord {
    /// Computes what feeds must know from the tree.
    mutating func refreshFlags(winnerHasAttachments: Bool) {
        flags.setMembership(of: .deleted, to: tree.node(winner)?.isDeleted ?? false)
        flags.setMembership(of: .branched, to: tree.leafCount > 1)
        flags.setMembership(of: .conflicted, to: tree.isConflicted)
        flags.setMembership(of: .attachments, to: winnerHasAttachments)
        if winnerHasAttachments { flags.insert(.usesAttachments) }
        if !winner.isNative { flags.insert(.foreign) }
    }
}

extension DocumentFlags {
    mutating func setMembership(of flag: DocumentFlags, to isMember: Bool) {
        if isMember { insert(flag) } else { remove(flag) }
    }
}
