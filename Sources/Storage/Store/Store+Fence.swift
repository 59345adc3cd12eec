package import Foundation

/// A gap in a store's sequences: they may have been assigned to changes that the store does not have.
package struct StoreFence: Sendable {
    /// The least and the greatest number of sequences in the gap while they fit into 32 bits: eleven gaps fit on average, and the least one allows a
    /// day of 500 lost changes a second. Below 2^53 there is room for millions of the large gaps.
    private static let smallGap: Range<Int64> = 50_000_000..<150_000_000
    private static let gap: Range<Int64> = 500_000_000..<1_500_000_000

    /// The last sequence before the gap, and the new value of the counter.
    package let lower: Int64
    package let upper: Int64

    /// The present time, in milliseconds since 1970.
    package let raised: Int64

    /// The width depends on the time: after two restores of one backup, changes after the second restore do not get sequences that clients have from
    /// the time in between. This holds while fewer than a thousand changes a second are written, and the clock does not go back.
    ///
    /// - Parameters:
    ///   - counter: The last sequence.
    ///   - time: The present time.
    package init(after counter: Int64, at time: Date = Date()) {
        lower = counter
        raised = Int64(time.timeIntervalSince1970 * 1000)
        let near = SequenceNumber(counter + Self.width(in: Self.smallGap, at: raised))
        upper = near < .saturated ? near.value : counter + Self.width(in: Self.gap, at: raised)
    }

    private static func width(in range: Range<Int64>, at time: Int64) -> Int64 {
        let rest = time % Int64(range.count)
        return range.lowerBound + (rest < 0 ? rest + Int64(range.count) : rest)
    }
}

extension Store {
    /// Raises the counter above all sequences that clients may have received between the backup and its restore.
    ///
    /// Otherwise new changes would get sequences that clients have passed already, and would never reach them. The gap is recorded with its time:
    /// - A client whose checkpoint is in the gap restarts at the end of the backup.
    /// - Versions written from now on are newer than all versions sent in the gap.
    ///
    /// - Parameter time: The present time.
    /// - Returns: The new value of the counter.
    @discardableResult
    package func raiseFence(at time: Date = Date()) async throws -> SequenceNumber {
        try await write { transaction in
            let fence = StoreFence(after: try transaction.lastSequence.value, at: time)
            let upper = SequenceNumber(fence.upper)
            try transaction.setFence(from: SequenceNumber(fence.lower), to: upper, at: fence.raised)
            try transaction.raiseCounter(to: upper)
            return upper
        }
    }
}
