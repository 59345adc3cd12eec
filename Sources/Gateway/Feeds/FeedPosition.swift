public import Storage

/// A place in a changes feed, as clients keep it: a sequence, or, while a channel that was granted at `trigger` is being caught up, the
/// sequence up to which its older documents have come. Sync Gateway's forms: `34`, and `100:34`.
///
/// That of a device which is coming over from the legacy upstream begins with the number that it had reached there: `7:1000000034`, and
/// `7:1000000100:1000000034`. Upstream's numbers are below the origin of the store, and the two forms of two numbers are told apart by that: a
/// document may have changed after the channel was lost by which it is told of, so their order says nothing. 0 is a mark of ours (``LocalSequences``).
public struct FeedPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let sequence: SequenceNumber

    /// With which sequence access was granted, or lost, that makes the feed go back.
    public let trigger: SequenceNumber?

    /// Up to which number of the legacy upstream's feed the client had been told of everything there; 0 is a mark, and says nothing.
    public internal(set) var reached: Int64?

    public init(_ sequence: SequenceNumber, trigger: SequenceNumber? = nil, reached: Int64? = nil) {
        self.sequence = sequence
        self.trigger = trigger
        self.reached = reached
    }

    /// Before every change.
    public static let zero = FeedPosition(.zero)

    /// Reads one of the forms; `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var numbers = parts.compactMap { part in part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(part) : nil }
        guard numbers.count == parts.count, let first = numbers.first else { return nil }
        let isComing = numbers.count == 3 || (numbers.count == 2 && Self.isUpstream(first, before: numbers[1]))
        if isComing { numbers.removeFirst() }
        let reached = isComing ? first : nil
        switch numbers.count {
        case 1: self.init(SequenceNumber(numbers[0]), reached: reached)
        case 2: self.init(SequenceNumber(numbers[1]), trigger: SequenceNumber(numbers[0]), reached: reached)
        default: return nil
        }
    }

    /// Whether the first of two numbers is upstream's: it is below the origin of the store that has given out the second one.
    private static func isUpstream(_ number: Int64, before sequence: Int64) -> Bool {
        let origins = [SequenceNumber.newOrigin, .earlierOrigin].map(\.value)
        return origins.contains { number < $0 && $0 <= sequence }
    }

    /// The last sequence up to which everything has come that could be seen then.
    public var settled: SequenceNumber {
        trigger.map { SequenceNumber(max($0.value - 1, 0)) } ?? sequence
    }

    /// Whether its text is a plain number.
    public var isPlain: Bool { trigger == nil && shownReach == nil }

    public static func < (a: FeedPosition, b: FeedPosition) -> Bool {
        a.order < b.order
    }

    /// What comes by a trigger comes right before the change that is the trigger.
    private var order: (Int64, Int, Int64) {
        trigger.map { ($0.value, 0, sequence.value) } ?? (sequence.value, 1, 0)
    }

    /// Before our first sequence there is nothing that a client could have been told of.
    private var shownReach: Int64? { sequence == .zero && (trigger == nil || reached != 0) ? nil : reached }

    public var description: String {
        let place = trigger.map { "\($0):\(sequence)" } ?? sequence.description
        return shownReach.map { "\($0):\(place)" } ?? place
    }
}
