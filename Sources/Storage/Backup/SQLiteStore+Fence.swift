import Foundation

extension SQLiteStore {
    /// How many changes may have been lost between a backup and its restoring. As long as sequences fit into 32 bits, the gap is smaller, so that
    /// eleven of them fit as well: a day of more than a thousand changes a second may be lost. Below 2^53 there is room for millions of the large ones.
    private static let gap: Int64 = 1_000_000_000
    private static let smallGap: Int64 = 100_000_000

    /// Raises the counter beyond everything that clients may have seen in the time that a restored store does not know.
    ///
    /// Without it, new changes would get sequences that clients have passed already, and would never reach them.
    /// The gap is remembered: a client that stands in it is taken back to where the backup ends. So is the time: versions of what is written from now
    /// on are newer than all that were told in the gap.
    ///
    /// - Returns: the counter from now on.
    @discardableResult
    public func raiseFence() async throws -> Sequence {
        try await write { transaction in
            let last = try transaction.lastSequence
            let near = Sequence(last.value + Self.smallGap)
            let fence = near < .saturated ? near : Sequence(last.value + Self.gap)
            try transaction.setFence(from: last, to: fence, at: Int64(Date().timeIntervalSince1970 * 1000))
            try transaction.raiseCounter(to: fence)
            return fence
        }
    }
}
