/// Where a push goes on whose server had refused revisions when its half of the checkpoint was written.
///
/// Those that are not parked any more it has taken since, when they were tried again. It may have lost them: if it was put back to a backup that was
/// made between, its half of the checkpoint does not show it.
struct RefusedPlaces: Sendable {
    /// The place before the first of them; `nil` if there is none.
    let start: Int64?

    /// What is refused as before, and is not to be offered again on the way from there.
    let passed: Set<Int64>

    /// - Parameters:
    ///   - before: Places of revisions that the server had refused.
    ///   - now: Places of those that are parked.
    ///   - agreed: The place that both halves agree about.
    init(before: [Int64], now: [Int64], upTo agreed: Int64) {
        let first = Set(before).subtracting(now).filter { 0 < $0 && $0 <= agreed }.min()
        start = first.map { $0 - 1 }
        passed = first == nil ? [] : Set(now.filter { $0 <= agreed })
    }
}
