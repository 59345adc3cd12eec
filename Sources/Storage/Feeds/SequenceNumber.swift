/// A value of the database's single counter: the position of a change in a feed.
///
/// Sequences stay below 2^53, which every client can represent. Sequences of a new store fit into 32 bits for a long time, because old iOS devices
/// cannot represent more.
package struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }

    /// Before every change.
    package static let zero = SequenceNumber(0)

    /// The start of a new store's counter. It is above the sequences of nearly all legacy servers, which separates their checkpoints from ours.
    /// Each store persists its own start (``StoreSnapshot/origin``).
    package static let newOrigin = SequenceNumber(1_000_000_000)

    /// The start of the counter in stores of earlier program versions.
    package static let earlierOrigin = SequenceNumber(1_000_000_000_000)

    /// The largest signed 32-bit value. Couchbase Lite for iOS reads a text checkpoint into an `NSInteger`, which saturates at this value on 32-bit
    /// devices (CBLMisc.m, `CBLParseInteger`). The device's real position is unknown then, so no change gets this sequence.
    package static let saturated = SequenceNumber(Int64(Int32.max))

    /// The sequence of the next change.
    package var next: SequenceNumber {
        let next = SequenceNumber(value + 1)
        return next == .saturated ? SequenceNumber(next.value + 1) : next
    }

    package static func < (a: SequenceNumber, b: SequenceNumber) -> Bool { a.value < b.value }

    package var description: String { String(value) }
}
