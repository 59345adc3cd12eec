import Foundation

/// A gap in a store's sequences: they may have been assigned to changes that the store does not have.
package struct StoreFence: Sendable {
    /// The maximum number of changes lost between a backup and its restore. While sequences fit into 32 bits, the small gap is used, so that eleven
    /// gaps fit as well: it allows a day of more than a thousand changes a second. Below 2^53 there is room for millions of the large gaps.
    private static let gap: Int64 = 1_000_000_000
    private static let smallGap: Int64 = 100_000_000

    /// The last sequence before the gap, and the new value of the counter.
    package let lower: Int64
    package let upper: Int64

    /// The present time, in milliseconds since 1970.
    package let raised: Int64

    /// - Parameter counter: The last sequence.
    package init(after counter: Int64) {
        lower = counter
        let near = SequenceNumber(counter + Self.smallGap)
        upper = near < .saturated ? near.value : counter + Self.gap
        raised = Int64(Date().timeIntervalSince1970 * 1000)
    }
}

extension Store {
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
            let fence = StoreFence(after: try transaction.lastSequence.value)
            let upper = SequenceNumber(fence.upper)
            try transaction.setFence(from: SequenceNumber(fence.lower), to: upper, at: fence.raised)
            try transaction.raiseCounter(to: upper)
            return upper
        }
    }
}
