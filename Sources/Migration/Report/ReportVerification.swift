/// What comparing both sides found.
package struct ReportVerification: Codable, Sendable, Equatable {
    /// Documents that were compared.
    package var compared = 0

    /// Those of them that are the same on both sides.
    package var equal = 0

    /// How long it took.
    package var seconds = 0.0

    /// How many differences there are of each kind.
    package private(set) var kinds: [String: Int] = [:]

    package private(set) var differences = ReportList<ReportDifference>()

    /// Documents that were changed at the source after they had been read: no loss, and the next run brings them.
    package var changedAtSource = ReportOutcome()

    /// Documents that the target alone has, where these are no differences: they were there before, or came from elsewhere.
    package var onlyAtTarget = ReportOutcome()

    /// Documents in conflict of which a Sync Gateway shows other attachments under the same revision. It does so by itself, once it has to read them
    /// again, so that this is no loss.
    package var shownOtherwise = ReportOutcome()

    /// Of how many documents bodies and attachments were compared; `nil` where of all.
    package var bodies: Int?

    package init() {}

    package var isEqual: Bool { differences.count == 0 }

    package mutating func add(_ difference: ReportDifference) {
        kinds[difference.kind.rawValue, default: 0] += 1
        differences.add(difference)
    }
}

extension ReportVerification {
    private enum CodingKeys: CodingKey {
        case compared, equal, seconds, kinds, differences, changedAtSource, onlyAtTarget, shownOtherwise, bodies
    }

    /// Reads a report of an earlier version, too, which lacks what came later.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        compared = try values.decode(Int.self, forKey: .compared)
        equal = try values.decode(Int.self, forKey: .equal)
        seconds = try values.decode(Double.self, forKey: .seconds)
        kinds = try values.decode([String: Int].self, forKey: .kinds)
        differences = try values.decode(ReportList<ReportDifference>.self, forKey: .differences)
        changedAtSource = try values.decode(ReportOutcome.self, forKey: .changedAtSource)
        onlyAtTarget = try values.decode(ReportOutcome.self, forKey: .onlyAtTarget)
        shownOtherwise = try values.decodeIfPresent(ReportOutcome.self, forKey: .shownOtherwise) ?? ReportOutcome()
        bodies = try values.decodeIfPresent(Int.self, forKey: .bodies)
    }

    /// Every key is there; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(compared, forKey: .compared)
        try values.encode(equal, forKey: .equal)
        try values.encode(seconds, forKey: .seconds)
        try values.encode(kinds, forKey: .kinds)
        try values.encode(differences, forKey: .differences)
        try values.encode(changedAtSource, forKey: .changedAtSource)
        try values.encode(onlyAtTarget, forKey: .onlyAtTarget)
        try values.encode(shownOtherwise, forKey: .shownOtherwise)
        try values.encode(bodies, forKey: .bodies)
    }
}

/// A document that is not the same on both sides.
package struct ReportDifference: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// Only the source has it.
        case missing
        /// Only the target has it.
        case extra
        /// Another revision wins.
        case winner
        /// Other leaves; the winner is the same.
        case leaves
        /// Deleted on one side.
        case tombstone
        /// Other content under the same revision.
        case body
        /// Other attachments, or attachments with other bytes.
        case attachments

        /// Whether the two sides have other revisions, as opposed to other content of the same.
        var isOfRevisions: Bool { [.winner, .leaves, .tombstone].contains(self) }
    }

    package var kind: Kind
    package var collection: String
    package var id: String

    /// What each side has, in a few words.
    package var detail: String?

    package init(_ kind: Kind, collection: String, id: String, detail: String? = nil) {
        self.kind = kind
        self.collection = collection
        self.id = id
        self.detail = detail
    }
}

extension ReportDifference {
    /// Every key is there; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(detail, forKey: .detail)
    }
}
