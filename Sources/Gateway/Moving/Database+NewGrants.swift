import Storage

/// A move gives nobody access by a document's own words.
extension Database {
    /// What the function of a document's new collection says, without what the document does not give already, unless new grants are allowed.
    ///
    /// The function speaks as to an administrator. The document's writer was judged by another function, and would let himself in.
    func limited(
        _ verdict: ResyncResult, of document: DocumentRecord, allowsNewGrants: Bool, in tally: inout AccessChangeTally,
        snapshot: any StoreSnapshot
    ) throws -> ResyncResult {
        guard let winner = verdict.winner, winner.flags.contains(.grants), let key = document.key else { return verdict }
        let held = Set(try snapshot.grants(from: .document(key)))
        let collection = syncFunctions.grantsHold(from: verdict.collection)
        let new = winner.grants(in: collection).filter { !$0.isHeld(in: held) }
        guard !new.isEmpty else { return verdict }
        tally.count(new: new)
        guard !allowsNewGrants else { return verdict }
        var limited = verdict
        limited.winner = winner.without(new, in: collection)
        return limited
    }

    /// What moves newly give, or would, for the report: by name, the first of them.
    func newGrants(_ tally: AccessChangeTally) -> [AccessChangeReport.NewGrant] {
        let byGrantee = Dictionary(grouping: tally.newGrants, by: \.grantee).sorted { $0.key.description < $1.key.description }
        return byGrantee.prefix(AccessChangeReport.NewGrant.limit).map { grantee, grants in
            var given = AccessChangeReport.NewGrant(to: grantee.description)
            for grant in grants {
                switch grant.permission {
                case .channel(let channel, let key):
                    guard let record = collections[key] else { continue }
                    given.channels[record.collectionName.description, default: []].append(channel)
                case .role(let role): given.roles.append(role)
                case .ownAccess: continue
                }
            }
            given.sort()
            return given
        }
    }
}

extension Grant {
    /// Whether nothing more is given than is held: what is given for the default collection holds in every collection.
    fileprivate func isHeld(in held: Set<Grant>) -> Bool {
        if held.contains(self) { return true }
        guard case .channel(let name, _) = permission else { return false }
        return held.contains(Grant(to: grantee, .channel(name, .default)))
    }
}
