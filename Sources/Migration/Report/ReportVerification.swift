/// Result of comparing both sides.
package struct ReportVerification: Codable, Sendable, Equatable {
    /// Number of compared documents.
    package var compared = 0

    /// Number of documents that are equal on both sides.
    package var equal = 0

    /// Duration in seconds.
    package var seconds = 0.0

    /// Number of differences by kind.
    package private(set) var kinds: [String: Int] = [:]

    package private(set) var differences = ReportList<ReportDifference>()

    /// Documents that changed at the source after they were read. They are not lost; the next run copies them.
    package var changedAtSource = ReportOutcome()

    /// Documents that only the target has, if these do not count as differences: they existed before, or have another origin.
    package var onlyAtTarget = ReportOutcome()

    /// Documents in conflict for which a Sync Gateway lists other attachments under the same revision. The Sync Gateway does so by itself once it
    /// has to read them again, so nothing is lost.
    package var shownOtherwise = ReportOutcome()

    /// Number of documents whose bodies and attachments were compared; `nil` for all.
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

    /// Accepts reports of earlier versions, which lack newer keys.
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

    /// Encodes every key; unknown values are null.
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
        /// The winners differ.
        case winner
        /// The leaves differ; the winner is the same.
        case leaves
        /// Deleted on one side.
        case tombstone
        /// The content of the same revision differs.
        case body
        /// The attachments or their bytes differ.
        case attachments

        /// Whether the revisions differ, as opposed to the content of one revision.
        var isOfRevisions: Bool { [.winner, .leaves, .tombstone].contains(self) }
    }

    package var kind: Kind
    package var collection: String
    package var id: String

    /// Short description of both sides.
    package var detail: String?

    package init(_ kind: Kind, collection: String, id: String, detail: String? = nil) {
        self.kind = kind
        self.collection = collection
        self.id = id
        self.detail = detail
    }
}

extension ReportDifference {
    /// Encodes every key; unknown values are null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(detail, forKey: .detail)
    }
}
