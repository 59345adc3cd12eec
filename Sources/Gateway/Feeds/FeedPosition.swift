package import Storage

/// A position in a changes feed, in the form that clients persist (Sync Gateway's forms):
///
/// - `34`: a sequence.
/// - `100:34`: while the backfill of a grant at sequence 100 (``trigger``) runs, the sequence that the backfill has reached.
///
/// The position of a client that migrates from the legacy upstream starts with the number that it had reached there: `7:1000000034`, and
/// `7:1000000100:1000000034`. Upstream's numbers are below the store's origin, which distinguishes the two forms with two numbers. Their order does
/// not: a document may have changed after the loss of the channel that announces it. 0 is a local mark (``LocalSequences``).
package struct FeedPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let sequence: SequenceNumber

    /// The sequence of the grant or loss of access for which the feed goes back.
    package let trigger: SequenceNumber?

    /// The number of the legacy upstream's feed up to which the client has received everything there; 0 is a mark without a number.
    package internal(set) var reached: Int64?

    package init(_ sequence: SequenceNumber, trigger: SequenceNumber? = nil, reached: Int64? = nil) {
        self.sequence = sequence
        self.trigger = trigger
        self.reached = reached
    }

    /// The position before every change.
    package static let zero = FeedPosition(.zero)

    /// Parses one of the forms; `nil` for other texts.
    package init?(_ text: some StringProtocol) {
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

    /// Whether the first of two numbers is upstream's: it is below the origin of the store that issued the second.
    private static func isUpstream(_ number: Int64, before sequence: Int64) -> Bool {
        let origins = [SequenceNumber.newOrigin, .earlierOrigin].map(\.value)
        return origins.contains { number < $0 && $0 <= sequence }
    }

    /// The last sequence up to which the client has received everything that was visible.
    package var settled: SequenceNumber {
        trigger.map { SequenceNumber(max($0.value - 1, 0)) } ?? sequence
    }

    /// Whether the text is a plain number.
    package var isPlain: Bool { trigger == nil && shownReach == nil }

    package static func < (a: FeedPosition, b: FeedPosition) -> Bool {
        a.order < b.order
    }

    /// Rows of a trigger come immediately before the trigger's own change.
    private var order: (Int64, Int, Int64) {
        trigger.map { ($0.value, 0, sequence.value) } ?? (sequence.value, 1, 0)
    }

    /// `reached` as part of the text. Omitted before the first local sequence, where the client has received nothing.
    private var shownReach: Int64? { sequence == .zero && (trigger == nil || reached != 0) ? nil : reached }

    package var description: String {
        let place = trigger.map { "\($0):\(sequence)" } ?? sequence.description
        return shownReach.map { "\($0):\(place)" } ?? place
    }
}
