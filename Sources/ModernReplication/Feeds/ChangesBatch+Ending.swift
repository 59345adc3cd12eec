import Gateway

extension ChangesBatch {
    /// Leaves the rows behind a position to the next batch.
    mutating func end(at end: FeedPosition) {
        guard position > end else { return }
        rows.removeAll { $0.position > end }
        position = end
        isCaughtUp = false
    }
}
