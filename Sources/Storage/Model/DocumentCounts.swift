/// How many documents a scope holds.
public struct DocumentCounts: Hashable, Sendable {
    public var live: Int64
    public var tombstones: Int64
    public var conflicted: Int64

    /// Wanted elsewhere by the routes: ``DocumentFlags/misplaced``.
    public var misplaced: Int64

    /// Under a legacy ID that is not the derived one: ``DocumentFlags/qualified``.
    public var qualified: Int64

    public init(live: Int64 = 0, tombstones: Int64 = 0, conflicted: Int64 = 0, misplaced: Int64 = 0, qualified: Int64 = 0) {
        self.live = live
        self.tombstones = tombstones
        self.conflicted = conflicted
        self.misplaced = misplaced
        self.qualified = qualified
    }
}
