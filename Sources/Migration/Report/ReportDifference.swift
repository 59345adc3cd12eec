/// A document that is not the same on both sides.
public struct ReportDifference: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable, CaseIterable {
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

    public var kind: Kind
    public var collection: String
    public var id: String

    /// What each side has, in a few words.
    public var detail: String?

    public init(_ kind: Kind, collection: String, id: String, detail: String? = nil) {
        self.kind = kind
        self.collection = collection
        self.id = id
        self.detail = detail
    }
}

extension ReportDifference {
    /// Every key is there; what is not known is null.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(detail, forKey: .detail)
    }
}
