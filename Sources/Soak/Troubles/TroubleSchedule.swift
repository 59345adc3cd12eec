/// When there is which trouble: one after the other, in an order of the seed, with calm between them.
struct TroubleSchedule {
    /// A time of one trouble.
    struct Spell {
        let trouble: Trouble

        /// Counted from the beginning of the load.
        let start: Duration
        let length: Duration

        /// How long what is measured afterwards still counts as being in it: what has waited is done then.
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
