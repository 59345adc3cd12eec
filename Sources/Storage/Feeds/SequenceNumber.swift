/// A value of the database's single counter: the position of a change in a feed.
///
/// Sequences stay below 2^53, which every client can represent. Sequences of a new store fit into 32 bits for a long time, because old iOS devices
/// cannot represent more.
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    /// Before every change.
    public static let zero = SequenceNumber(0)

    /// The start of a new store's counter. It is above the sequences of nearly all legacy servers, which separates their checkpoints from ours.
    /// Each store persists its own start (``StoreSnapshot/origin``).
    public static let newOrigin = SequenceNumber(1_000_000_000)

    /// The start of the counter in stores of earlier program versions.
    public static let earlierOrigin = SequenceNumber(1_000_000_000_000)

    /// The largest signed 32-bit value. Couchbase Lite for iOS reads a text checkpoint into an `NSInteger`, which saturates at this value on 32-bit
    /// devices (CBLMisc.m, `CBLParseInteger`). The device's real position is unknown then, so no change gets this sequence.
    public static let saturated = SequenceNumber(Int64(Int32.max))

    /// The sequence of the next change.
    public var next: SequenceNumber {
        let next = SequenceNumber(value + 1)
        return next == .saturated ? SequenceNumber(next.value + 1) : next
    }

    public static func < (a: SequenceNumber, b: SequenceNumber) -> Bool { a.value < b.value }

    public var description: String { String(value) }
}
