import Storage

/// The spans of the database's history in which a grant holds, sorted and disjoint.
struct GrantSpans: Hashable, Sendable {
    /// From one sequence until another; `Int64.max` if it still holds.
    private typealias Span = Range<Int64>

    private var spans: [Span] = []

    init() {}

    init(from granted: SequenceNumber, until lost: SequenceNumber? = nil) {
        add(from: granted, until: lost)
    }

    /// Adds a span. Adjacent spans merge: a grant that is made again in the change that revokes it is never lost.
    mutating func add(from granted: SequenceNumber, until lost: SequenceNumber? = nil) {
        let end = lost?.value ?? .max
        guard granted.value < end else { return }
        add(granted.value..<end)
    }

    /// The spans in which either holds.
    func union(_ other: GrantSpans) -> GrantSpans {
        var result = self
        result.formUnion(other)
        return result
    }

    mutating func formUnion(_ other: GrantSpans) {
        for span in other.spans { add(span) }
    }

    /// The spans in which both hold.
    func intersection(_ other: GrantSpans) -> GrantSpans {
        var result = GrantSpans()
        for a in spans {
            for b in other.spans where a.overlaps(b) { result.add(a.clamped(to: b)) }
        }
        return result
    }

    /// The spans in which this holds and the other does not.
    func subtracting(_ other: GrantSpans) -> GrantSpans {
        var result = GrantSpans()
        for span in spans {
            var start = span.lowerBound
            for hole in other.spans where hole.overlaps(span) {
                if start < hole.lowerBound { result.add(start..<hole.lowerBound) }
                start = max(start, hole.upperBound)
            }
            if start < span.upperBound { result.add(start..<span.upperBound) }
        }
        return result
    }

    /// The start of the current span; `nil` if it does not hold.
    var heldSince: SequenceNumber? {
        guard let last = spans.last, last.upperBound == .max else { return nil }
        return SequenceNumber(last.lowerBound)
    }

    /// The spans that have ended.
    var ended: [(granted: SequenceNumber, lost: SequenceNumber)] {
        spans.filter { $0.upperBound != .max }.map { (SequenceNumber($0.lowerBound), SequenceNumber($0.upperBound)) }
    }

    private mutating func add(_ new: Span) {
        let touching = spans.filter { $0.lowerBound <= new.upperBound && new.lowerBound <= $0.upperBound }
        var merged = new
        for span in touching { merged = min(merged.lowerBound, span.lowerBound)..<max(merged.upperBound, span.upperBound) }
        spans.removeAll { touching.contains($0) }
        spans.insert(merged, at: spans.firstIndex { $0.lowerBound > merged.lowerBound } ?? spans.endIndex)
    }
}
