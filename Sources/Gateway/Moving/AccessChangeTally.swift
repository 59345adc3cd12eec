import Storage

/// Counts how moves change the channels of documents, as the input of an ``AccessChangeReport``.
package struct AccessChangeTally: Sendable, Equatable {
    /// A change of channels that many documents may share.
    struct Change: Hashable, Sendable {
        let from: CollectionKey
        let to: CollectionKey
        let before: Set<String>
        let after: Set<String>
    }

    /// Documents whose sync function would make new grants; see ``AccessChangeReport/newGrants``.
    package var newlyGrantingDocuments: Int { newlyGranting }

    /// The number of documents by change.
    private(set) var changes: [Change: Int] = [:]

    /// The number of documents beyond the limit of different changes.
    private(set) var untold = 0

    /// Documents that are moved from the unified keyspace to a hidden collection.
    private(set) var hidden = 0

    /// Documents whose sync function makes other grants than before.
    private(set) var regranting = 0

    /// The affected users and roles, up to the limit.
    private(set) var grantees: Set<Grantee> = []

    /// Documents whose sync function would make new grants.
    private(set) var newlyGranting = 0

    /// Those grants, up to the limit.
    private(set) var newGrants: Set<Grant> = []

    /// The maximum number of different changes, of users and roles, and of grants.
    private static let limit = 5_000

    package init() {}

    mutating func count(_ change: Change, _ documents: Int = 1) {
        if changes[change] == nil, changes.count >= Self.limit {
            untold += documents
        } else {
            changes[change, default: 0] += documents
        }
    }

    mutating func countHidden() { hidden += 1 }

    mutating func count(grants before: Set<Grant>, _ after: Set<Grant>) {
        guard before != after else { return }
        regranting += 1
        add(Set(before.symmetricDifference(after).map(\.grantee)))
    }

    mutating func count(new grants: Set<Grant>) {
        newlyGranting += 1
        add(grants)
    }

    private mutating func add(_ new: Set<Grant>) {
        for grant in new where newGrants.count < Self.limit { newGrants.insert(grant) }
    }

    private mutating func add(_ found: Set<Grantee>) {
        for grantee in found where grantees.count < Self.limit { grantees.insert(grantee) }
    }

    package static func += (total: inout AccessChangeTally, part: AccessChangeTally) {
        for (change, documents) in part.changes { total.count(change, documents) }
        total.untold += part.untold
        total.hidden += part.hidden
        total.regranting += part.regranting
        total.add(part.grantees)
        total.newlyGranting += part.newlyGranting
        total.add(part.newGrants)
    }
}

extension Database {
    /// Counts how a document's channels and grants change when it is moved to the collection of the sync function's result.
    func countAccessChange(
        of document: DocumentRecord, by result: ResyncResult, in tally: inout AccessChangeTally, snapshot: any StoreSnapshot
    ) throws {
        guard let key = document.key, !document.flags.contains(.deleted) else { return }
        if document.unifiedID != nil, collections[result.collection]?.isHidden == true { tally.countHidden() }
        let before = Set(try snapshot.channels(of: key).filter(\.isCurrent).map(\.channel))
        tally.count(
            AccessChangeTally.Change(
                from: document.collection, to: result.collection, before: before, after: result.winner?.channels ?? before))
        guard let winner = result.winner, document.flags.union(winner.flags).contains(.grants) else { return }
        tally.count(
            grants: Set(try snapshot.grants(from: .document(key))), winner.grants(in: syncFunctions.grantsHold(from: result.collection)))
    }
}
