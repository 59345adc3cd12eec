import Storage

/// When somebody had something: stretches of the database's history, in order and apart from each other.
struct GrantSpans: Hashable, Sendable {
    /// From a sequence on until another; `Int64.max` where it still holds.
    private typealias Span = Range<Int64>

    private var spans: [Span] = []

    init() {}

    init(from granted: SequenceNumber, until lost: SequenceNumber? = nil) {
        add(from: granted, until: lost)
    }

    /// Adds a stretch. Those that touch become one: who is given something again in the change that takes it away never lost it.
    mutating func add(from granted: SequenceNumber, until lost: SequenceNumber? = nil) {
        let end = lost?.value ?? .max
        guard granted.value < end else { return }
        add(granted.value..<end)
    }

    /// When one of both held.
    func union(_ other: GrantSpans) -> GrantSpans {
        var result = self
        result.formUnion(other)
        return result
    }

    mutating func formUnion(_ other: GrantSpans) {
        for span in other.spans { add(span) }
    }

    /// When both held.
    func intersection(_ other: GrantSpans) -> GrantSpans {
        var result = GrantSpans()
        for a in spans {
            for b in other.spans where a.overlaps(b) { result.add(a.clamped(to: b)) }
        }
        return result
    }

    /// When this held and the other did not.
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

    /// Since when it holds; `nil` if it does not.
    var heldSince: SequenceNumber? {
        guard let last = spans.last, last.upperBound == .max else { return nil }
        return SequenceNumber(last.lowerBound)
    }

    /// The stretches that have ended.
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
