/// When there is which trouble: one after the other, in an order of the seed, with calm between them.
struct TroubleSchedule {
    /// A time of one trouble.
    struct Spell {
        let trouble: Trouble

        /// Counted from the beginning of the load.
        let start: Duration
        let length: Duration

        /// The time afterwards in which measurements still count as the trouble's: requests that waited are answered then.
        let recovery: Duration
    }

    private(set) var spells: [Spell] = []

    /// Killings come once, and first: memory is to be watched in one process for as long as there is.
    init(_ troubles: [Trouble], over duration: Duration, seed: UInt64) {
        guard !troubles.isEmpty else { return }
        var numbers = SeededNumbers(seed)
        let length = min(duration / 32, .seconds(20))
        let round = length * 4
        var time = length * 2
        var rest: [Trouble] = troubles.contains(.killed) ? [.killed] : []
        let repeated = troubles.filter { $0 != .killed }
        while time + round <= duration {
            if rest.isEmpty { rest = repeated.shuffled(using: &numbers) }
            guard let trouble = rest.popLast() else { return }
            spells.append(Spell(trouble: trouble, start: time, length: trouble == .killed ? .zero : length, recovery: length))
            time += round
        }
    }
}

/// A trouble that the bridge meets from outside while clients are at it.
package enum Trouble: String, Sendable, CaseIterable {
    /// Files cannot grow.
    case full

    /// Files cannot be changed.
    case readOnly

    /// A flush to the disk takes half a second.
    case slow

    /// The process may open hardly more files than it has.
    case files

    /// The clock goes back by a day and forth by two.
    case clock

    /// The process is killed, and started again.
    case killed
}
