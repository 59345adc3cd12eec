import Documents
import Storage

extension DocumentRecord {
    /// Computes what feeds must know from the tree.
    mutating func refreshFlags(winnerHasAttachments: Bool) {
        var fresh = DocumentFlags(tree: tree, hasAttachments: winnerHasAttachments)
        if winnerHasAttachments { fresh.insert(.usesAttachments) }
        flags = fresh.union(flags.intersection([.misplaced, .usesAttachments, .inChannels]))
    }
}

extension DocumentFlags {
    mutating func setMembership(of flag: DocumentFlags, to isMember: Bool) {
        if isMember { insert(flag) } else { remove(flag) }
    }
}
