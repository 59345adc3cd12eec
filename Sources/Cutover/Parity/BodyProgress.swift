public import Migration

/// How far bodies and attachments have been compared with those of the legacy upstream. What was compared is not read again until it changes.
public struct BodyProgress: Codable, Hashable, Sendable {
    /// The upstream's URL, without credentials: another one's documents are other documents.
    public let source: String

    /// Where in its feed the last comparison has ended; `nil` for the beginning.
    public var cursor: String?

    /// How many documents were compared so far. What has changed since counts once more.
    public var documents: Int

    /// Those of them of which upstream shows other attachments by itself.
    public var shownOtherwise: ReportOutcome

    public init(source: String, cursor: String? = nil, documents: Int = 0, shownOtherwise: ReportOutcome = ReportOutcome()) {
        self.source = source
        self.cursor = cursor
        self.documents = documents
        self.shownOtherwise = shownOtherwise
    }
}
