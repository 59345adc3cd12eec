/// How many documents a scope holds.
public struct DocumentCounts: Hashable, Sendable {
    public var live: Int64
    public var tombstones: Int64
    public var conflicted: Int64
    public var misplaced: Int64

    public init(live: Int64, tombstones: Int64, conflicted: Int64, misplaced: Int64) {
        self.live = live
        self.tombstones = tombstones
        self.conflicted = conflicted
        self.misplaced = misplaced
    }
}
