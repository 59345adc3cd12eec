/// A number of the database's one counter: the place of a change in a feed.
///
/// Sequences stay below 2^53, which every client can hold. Those of a new store fit into 32 bits for a long time: old iOS devices hold no more.
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    /// Before every change.
    public static let zero = SequenceNumber(0)

    /// Where the counter of a new store begins: above the numbers of nearly all old servers, so that a place there is told from one here. Each
    /// store remembers its own (``StoreSnapshot/origin``).
    public static let newOrigin = SequenceNumber(1_000_000_000)

    /// Where the counters of stores begin that were made before there were smaller ones.
    public static let earlierOrigin = SequenceNumber(1_000_000_000_000)

    /// Where 32 bits end. Couchbase Lite for iOS reads a checkpoint that is text into an `NSInteger`, which on 32-bit devices stays at its largest
    /// value: where the device stands cannot be told from it (CBLMisc.m, `CBLParseInteger`). So no change has this number.
    public static let saturated = SequenceNumber(Int64(Int32.max))

    /// The number of the next change.
    public var next: SequenceNumber {
        let next = SequenceNumber(value + 1)
        return next == .saturated ? SequenceNumber(next.value + 1) : next
    }

    public static func < (a: SequenceNumber, b: SequenceNumber) -> Bool { a.value < b.value }

    public var description: String { String(value) }
}
