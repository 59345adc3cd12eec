/// Keeps a run below a number of documents a second.
///
/// What is lost by waiting for others is caught up as far as a second's worth.
public struct MigrationRate: Sendable {
    /// Documents a second; `nil` for as many as there are.
    public let limit: Int?

    /// When the next batch may be written, on a clock that begins with the run.
    private var due = Duration.zero

    public init(_ limit: Int?) {
        self.limit = limit
    }

    /// Takes down that `documents` have been taken.
    ///
    /// - Parameter now: since the run began.
    /// - Returns: how long to wait; `nil` if there is no need.
    public mutating func note(_ documents: Int, now: Duration) -> Duration? {
        guard let limit, limit > 0 else { return nil }
        due = max(due, now - .seconds(1)) + .seconds(1) * documents / limit
        return due > now ? due - now : nil
    }
}
