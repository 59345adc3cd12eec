/// The first step of a history after which a bridge and a Sync Gateway say different things.
struct Difference {
    let step: History.Numbered
    let gateway: Observation
    let bridge: Observation

    /// - Returns: `nil` where both say the same, but for what is wanted.
    static func first(in history: History, gateway: [Observation], bridge: [Observation]) -> Difference? {
        var comparer = Comparer(history)
        for (index, step) in history.steps.enumerated() where index < gateway.count && index < bridge.count {
            let (theirs, ours) = comparer.compare(step.step, gateway: gateway[index], bridge: bridge[index])
            if theirs != ours { return Difference(step: step, gateway: gateway[index], bridge: bridge[index]) }
        }
        return nil
    }
}

extension Difference: CustomStringConvertible {
    var description: String {
        "After step \(step.number), \(step.step):\n  Sync Gateway: \(gateway)\n  the bridge:   \(bridge)"
    }
}
