public import Storage

/// A place in a changes feed, as clients keep it: a sequence, or, while a channel that was granted at `trigger` is being caught up, the
/// sequence up to which its older documents have come. Sync Gateway's forms: `34`, and `100:34`.
public struct FeedPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let sequence: Sequence

    /// With which sequence access was granted, or lost, that makes the feed go back.
    public let trigger: Sequence?

    public init(_ sequence: Sequence, trigger: Sequence? = nil) {
        self.sequence = sequence
        self.trigger = trigger
    }

    /// Before every change.
    public static let zero = FeedPosition(.zero)

    /// Reads `34` or `100:34`; `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(part) : nil }
        guard numbers.count == parts.count else { return nil }
        switch numbers.count {
        case 1: self.init(Sequence(numbers[0]))
        case 2: self.init(Sequence(numbers[1]), trigger: Sequence(numbers[0]))
        default: return nil
        }
    }

    /// The last sequence up to which everything has come that could be seen then.
    public var settled: Sequence {
        trigger.map { Sequence(max($0.value - 1, 0)) } ?? sequence
    }

    public static func < (a: FeedPosition, b: FeedPosition) -> Bool {
        a.order < b.order
    }

    /// What comes by a trigger comes right before the change that is the trigger.
    private var order: (Int64, Int, Int64) {
        trigger.map { ($0.value, 0, sequence.value) } ?? (sequence.value, 1, 0)
    }

    public var description: String {
        trigger.map { "\($0):\(sequence)" } ?? sequence.description
    }
}
