/// A number of the database's one counter: the place of a change in a feed.
///
/// Sequences start far above any that an old server reaches, so that a checkpoint of the old server and
/// one of ours are told apart by their size (design §4.3). They stay below 2^53, which every client can hold.
public struct Sequence: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    /// Before every change.
    public static let zero = Sequence(0)

    /// The counter of a new store. No server of the old generation has counted to 10^12.
    public static let origin = Sequence(1_000_000_000_000)

    public static func < (a: Sequence, b: Sequence) -> Bool { a.value < b.value }

    public var description: String { String(value) }
}
