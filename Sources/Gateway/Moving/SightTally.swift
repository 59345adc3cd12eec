import Storage

/// How moves change the channels of documents: the ground on which is worked out who sees them afterwards.
public struct SightTally: Sendable, Equatable {
    /// One way in which the channels of documents change.
    struct Change: Hashable, Sendable {
        let from: CollectionKey
        let to: CollectionKey
        let before: Set<String>
        let after: Set<String>
    }

    /// How many documents would give something that they do not give already; see ``SightReport/newGrants``.
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

    public static func += (total: inout SightTally, part: SightTally) {
        for (change, documents) in part.changes { total.count(change, documents) }
        total.untold += part.untold
        total.hidden += part.hidden
        total.regranting += part.regranting
        total.add(part.grantees)
        total.newlyGranting += part.newlyGranting
        total.add(part.newGrants)
    }
}

/// Who sees other documents after moves than before.
public struct SightReport: Codable, Sendable, Equatable {
    /// Documents that somebody no longer sees.
    public var lostDocuments = 0

    /// Documents that somebody sees who did not.
    public var gainedDocuments = 0

    /// How many users no longer see some document, and the first names. The guest is `GUEST`.
    public var losing = Users()
    public var gaining = Users()

    /// Documents that leave the unified keyspace, because their new collection is hidden. The counts above are of the collections themselves.
    public var hiddenDocuments = 0

    /// Documents that give access otherwise than before, and to whom. What that changes is not counted above.
    public var regrantingDocuments = 0
    public var regranted = Users()

    /// Documents that would give something that they do not give already, and what. Such grants are made only where they are allowed.
    public var newlyGrantingDocuments = 0
    public var newGrants: [NewGrant] = []

    /// Documents of which it was not worked out.
    public var untold = 0

    public struct Users: Codable, Sendable, Equatable {
        public var count = 0
        public var names: [String] = []

        mutating func add(_ name: String) {
            count += 1
            if names.count < 5 { names.append(name) }
        }
    }

    public var isEmpty: Bool {
        losing.count == 0 && gaining.count == 0 && hiddenDocuments == 0 && regrantingDocuments == 0 && untold == 0
            && newlyGrantingDocuments == 0
    }
}
