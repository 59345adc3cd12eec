import Foundation

extension Store {
    /// The maximum number of changes lost between a backup and its restore. While sequences fit into 32 bits, the small gap is used, so that eleven
    /// gaps fit as well: it allows a day of more than a thousand changes a second. Below 2^53 there is room for millions of the large gaps.
    private static var gap: Int64 { 1_000_000_000 }
    private static var smallGap: Int64 { 100_000_000 }

    /// Raises the counter above all sequences that clients may have received between the backup and its restore.
    ///
    /// Otherwise new changes would get sequences that clients have passed already, and would never reach them. The gap is recorded with its time:
    /// - A client whose checkpoint is in the gap restarts at the end of the backup.
    /// - Versions written from now on are newer than all versions sent in the gap.
    ///
    /// - Returns: The new value of the counter.
    @discardableResult
    package func raiseFence() async throws -> SequenceNumber {
        try await write { transaction in
            let last = try transaction.lastSequence
            let near = SequenceNumber(last.value + Self.smallGap)
            let fence = near < .saturated ? near : SequenceNumber(last.value + Self.gap)
            try transaction.setFence(from: last, to: fence, at: Int64(Date().timeIntervalSince1970 * 1000))
            try transaction.raiseCounter(to: fence)
            return fence
        }
    }
}
