/// The local sequences that need no push, as a list of ranges.
struct SequenceSet: Sendable, Hashable {
    /// The maximum number of ranges. The last range is dropped beyond that; its sequences are proposed once more, which costs little.
    static let maximumRanges = 2_000

    /// An upper bound: no database reaches a larger sequence. A checkpoint from a server may contain one.
    private static let largest: Int64 = 1 << 62

    /// The ranges in order, without adjacent or overlapping ones.
    private(set) var ranges: [ClosedRange<Int64>]

    /// All sequences up to `last`.
    init(through last: Int64 = 0) {
        ranges = [0...Self.bounded(last)]
    }

    init(ranges: [ClosedRange<Int64>]) {
        self.ranges = [0...0]
        for range in ranges { insert(range) }
    }

    /// The sequence up to which there is no gap.
    var end: Int64 { ranges[0].upperBound }

    var last: Int64 { ranges[ranges.count - 1].upperBound }

    func contains(_ sequence: Int64) -> Bool {
        let index = firstIndex(endingAtOrAfter: sequence)
        return index < ranges.count && ranges[index].contains(sequence)
    }

    mutating func insert(_ range: ClosedRange<Int64>) {
        var lower = Self.bounded(range.lowerBound), upper = Self.bounded(range.upperBound)
        let start = firstIndex(endingAtOrAfter: lower - 1)
        var end = start
        while end < ranges.count, ranges[end].lowerBound <= upper + 1 {
            lower = min(lower, ranges[end].lowerBound)
            upper = max(upper, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [lower...upper])
        if ranges.count > Self.maximumRanges { ranges.removeLast() }
    }

    mutating func insert(_ sequence: Int64) {
        insert(sequence...sequence)
    }

    /// Removes a sequence that has to be pushed.
    mutating func remove(_ sequence: Int64) {
        let index = firstIndex(endingAtOrAfter: sequence)
        guard sequence > 0, index < ranges.count, ranges[index].contains(sequence) else { return }
        let range = ranges[index]
        var parts: [ClosedRange<Int64>] = []
        if range.lowerBound < sequence { parts.append(range.lowerBound...(sequence - 1)) }
        if sequence < range.upperBound { parts.append((sequence + 1)...range.upperBound) }
        ranges.replaceSubrange(index...index, with: parts)
    }

    /// The sequences in both sets.
    func intersection(_ other: SequenceSet) -> SequenceSet {
        var result: [ClosedRange<Int64>] = []
        var a = ranges[...], b = other.ranges[...]
        while let x = a.first, let y = b.first {
            let lower = max(x.lowerBound, y.lowerBound), upper = min(x.upperBound, y.upperBound)
            if lower <= upper { result.append(lower...upper) }
            if x.upperBound < y.upperBound { a.removeFirst() } else { b.removeFirst() }
        }
        return SequenceSet(ranges: result)
    }

    private static func bounded(_ sequence: Int64) -> Int64 { min(max(sequence, 0), largest) }

    /// The first range that ends at `sequence` or behind it.
    private func firstIndex(endingAtOrAfter sequence: Int64) -> Int {
        var lower = 0, upper = ranges.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if ranges[middle].upperBound < sequence { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
