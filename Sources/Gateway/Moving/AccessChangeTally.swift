import Storage

/// How moves change the channels of documents: the ground on which is worked out who sees them afterwards.
public struct AccessChangeTally: Sendable, Equatable {
    /// One way in which the channels of documents change.
    struct Change: Hashable, Sendable {
        let from: CollectionKey
        let to: CollectionKey
        let before: Set<String>
        let after: Set<String>
    }

    /// How many documents would give something that they do not give already; see ``AccessChangeReport/newGrants``.
    public var newlyGrantingDocuments: Int { newlyGranting }

    /// The documents that change in each way.
    private(set) var changes: [Change: Int] = [:]

    /// Documents that are not told apart any more, because they change in too many ways.
    private(set) var untold = 0

    /// Documents that go from the unified keyspace into a hidden collection.
    private(set) var hidden = 0

    /// Documents whose sync function gives users or roles other channels or roles than before.
    private(set) var regranting = 0

    /// Those users and roles, or as many of them as are told apart.
    private(set) var grantees: Set<Grantee> = []

    /// Documents that would give something that they do not give already, if new grants are allowed.
    private(set) var newlyGranting = 0

    /// What that is, or as much of it as is told apart.
    private(set) var newGrants: Set<Grant> = []

    /// Ways, and grantees, that are told apart.
    private static let limit = 5_000

    public init() {}

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

    public static func += (total: inout AccessChangeTally, part: AccessChangeTally) {
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
    /// Counts how a document's channels, and what it gives, change where it goes to the collection whose function has spoken.
    func countAccessChange(
        of document: DocumentRecord, by verdict: ResyncResult, in tally: inout AccessChangeTally, snapshot: any StoreSnapshot
    ) throws {
        guard let key = document.key, !document.flags.contains(.deleted) else { return }
        if document.unifiedID != nil, collections[verdict.collection]?.isHidden == true { tally.countHidden() }
        let before = Set(try snapshot.channels(of: key).filter(\.isCurrent).map(\.channel))
        tally.count(
            AccessChangeTally.Change(
                from: document.collection, to: verdict.collection, before: before, after: verdict.winner?.channels ?? before))
        guard let winner = verdict.winner, document.flags.union(winner.flags).contains(.grants) else { return }
        tally.count(
            grants: Set(try snapshot.grants(from: .document(key))), winner.grants(in: syncFunctions.grantsHold(from: verdict.collection)))
    }
}
