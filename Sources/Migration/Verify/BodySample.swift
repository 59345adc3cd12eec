/// Of which documents a comparison reads bodies and attachments, where the first side can tell revisions without them.
///
/// Equal revision IDs mean equal bodies, as long as no server has mixed up what it keeps. A sample shows whether one has. Comparisons that follow
/// each other go on behind the sample of the one before: what has changed since stands behind in the feed, so nothing is read twice.
public struct BodySample: Sendable, Hashable {
    /// The most documents of one comparison; `nil` for all.
    public var limit: Int?

    /// Where the last sample ended.
    public var start: SourceCursor?

    /// Every document.
    public static let all = BodySample(limit: nil)

    public init(limit: Int?, after start: SourceCursor? = nil) {
        self.limit = limit
        self.start = start
    }
}
