/// A bounded piece of a changes feed.
public struct ChangesBatch: Sendable {
    public var rows: [ChangeRow]

    /// Where the next batch goes on. It may lie behind the last row, where rows were left out.
    public var position: FeedPosition

    /// Whether the feed had nothing more behind the batch when it was read.
    public var isCaughtUp: Bool

    public init(rows: [ChangeRow], position: FeedPosition, isCaughtUp: Bool) {
        self.rows = rows
        self.position = position
        self.isCaughtUp = isCaughtUp
    }

    /// Leaves the rows behind a position to the next batch.
    public mutating func end(at end: FeedPosition) {
        guard position > end else { return }
        rows.removeAll { $0.position > end }
        position = FeedPosition(end.sequence, trigger: end.trigger, reached: position.reached)
        isCaughtUp = false
    }
}
