import Gateway

/// A revision of which the source tells, and which the login may not see: nothing of it could be read.
public struct UnseenRevision: Codable, Sendable, Equatable {
    /// The document's ID.
    public var id: String

    /// `nil` where the login may see none of the document.
    public var revision: String?

    public init(id: String, revision: String? = nil) {
        self.id = id
        self.revision = revision
    }
}

extension UnseenRevision {
    /// Every key is there; what is not known is null.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
    }
}

extension MigrationReport {
    /// Whether it was said that a part of the source is meant.
    public var isPartMeant: Bool { run.options["partial"] == "true" }

    /// Whether the login has seen all that was to be read.
    public var isAllSeen: Bool { isPartMeant || (run.seenChannels == nil && unseen.count == 0) }
}
