import Storage

/// Limits the grants of moved documents.
extension Database {
    /// The sync function's result for the target collection, without grants that the document does not make already, unless new grants are allowed.
    ///
    /// The function runs with an administrator's rights. The document's writer passed another collection's function, and could otherwise grant
    /// himself access.
    func limited(
        _ result: ResyncResult, of document: DocumentRecord, allowsNewGrants: Bool, in tally: inout AccessChangeTally,
        snapshot: any StoreSnapshot
    ) throws -> ResyncResult {
        guard let winner = result.winner, winner.flags.contains(.grants), let key = document.key else { return result }
        let held = Set(try snapshot.grants(from: .document(key)))
        let collection = syncFunctions.grantsHold(from: result.collection)
        let new = winner.grants(in: collection).filter { !$0.isHeld(in: held) }
        guard !new.isEmpty else { return result }
        tally.count(new: new)
        guard !allowsNewGrants else { return result }
        var limited = result
        limited.winner = winner.without(new, in: collection)
        return limited
    }

    /// The new grants of moves for the report, sorted by user and role, up to the limit.
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
    /// Whether the grant adds nothing to `held`. A grant for the default collection applies to every collection.
    fileprivate func isHeld(in held: Set<Grant>) -> Bool {
        if held.contains(self) { return true }
        guard case .channel(let name, _) = permission else { return false }
        return held.contains(Grant(to: grantee, .channel(name, .default)))
    }
}
