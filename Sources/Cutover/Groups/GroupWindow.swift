/// The figures of one group over the last hour, in slots of some seconds.
package struct GroupWindow: Sendable {
    /// The length of a slot, and the longest span, in seconds.
    package static let slot: Int64 = 5
    package static let span: Int64 = 3_600

    private struct Slot {
        /// The time of its first exchange.
        let start: Int64
        var figures = GroupFigures()
    }

    /// In the order of time. Slots without an exchange are left out.
    private var slots: [Slot] = []
    private var isSplit = false

    package init() {}

    /// Records an exchange.
    ///
    /// - Parameter time: In seconds, by a clock that never goes back.
    package mutating func record(at time: Int64, _ change: (inout GroupFigures) -> Void) {
        if isSplit || slots.last.map({ $0.start <= time - Self.slot }) ?? true {
            isSplit = false
            slots.append(Slot(start: time))
            if let kept = slots.firstIndex(where: { $0.start >= time - Self.span }), kept > 0 { slots.removeFirst(kept) }
        }
        change(&slots[slots.count - 1].figures)
    }

    /// Ends the present slot, so that ``figures(from:to:)`` can tell what comes after from what was before.
    package mutating func split() {
        isSplit = true
    }

    /// The sum of the slots that begin at `start` or later and before `end`.
    package func figures(from start: Int64, to end: Int64 = .max) -> GroupFigures {
        var sum = GroupFigures()
        for slot in slots.reversed() {
            guard slot.start >= start else { break }
            if slot.start < end { sum.add(slot.figures) }
        }
        return sum
    }
}
