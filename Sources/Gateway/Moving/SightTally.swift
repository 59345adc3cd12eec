public import Storage

/// How moves change the channels of documents: the ground on which is worked out who sees them afterwards.
public struct SightTally: Sendable, Equatable {
    /// One way in which the channels of documents change.
    struct Change: Hashable, Sendable {
        let from: CollectionKey
        let to: CollectionKey
        let before: Set<String>
        let after: Set<String>
    }

    /// The documents that change in each way.
    private(set) var changes: [Change: Int] = [:]

    /// Documents that are not told apart any more, because they change in too many ways.
    private(set) var untold = 0

    /// Ways that are told apart.
    private static let limit = 5_000

    public init() {}

    mutating func count(_ change: Change, _ documents: Int = 1) {
        if changes[change] == nil, changes.count >= Self.limit {
            untold += documents
        } else {
            changes[change, default: 0] += documents
        }
    }

    public static func += (total: inout SightTally, part: SightTally) {
        for (change, documents) in part.changes { total.count(change, documents) }
        total.untold += part.untold
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

    public var isEmpty: Bool { losing.count == 0 && gaining.count == 0 && untold == 0 }
}
