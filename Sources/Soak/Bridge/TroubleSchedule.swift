/// The schedule of troubles: one at a time, in an order derived from the seed, with calm periods between them.
struct TroubleSchedule {
    /// A period with one trouble.
    struct Spell {
        let trouble: Trouble

        /// Start, relative to the beginning of the load.
        let start: Duration
        let length: Duration

        /// Period after the end in which measurements still count for the trouble, because delayed requests complete then.
        let recovery: Duration
    }

    private(set) var spells: [Spell] = []

    /// `killed` occurs once and first, so that memory is measured in a single process for as long as possible.
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

/// A fault of the environment that the bridge is exposed to under load.
package enum Trouble: String, Sendable, CaseIterable {
    /// Files cannot grow (full disk).
    case full

    /// Files cannot be changed (read-only file system).
    case readOnly

    /// A flush to the disk takes half a second.
    case slow

    /// The process can open hardly any more files.
    case files

    /// The clock jumps back by a day, and then forward by two.
    case clock

    /// The process is killed, and started again.
    case killed
}
