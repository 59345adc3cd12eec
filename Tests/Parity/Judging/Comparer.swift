/// Goes through a history and compares both servers, step by step.
struct Comparer {
    private let history: History

    /// What a client's pulls of one answer each have brought since its last whole pull: where an answer ends is the server's own.
    private var pending: [String: (gateway: Observation, bridge: Observation)] = [:]

    /// What each client has had after its last whole pull.
    private var held: [String: (gateway: [String: Set<String>], bridge: [String: Set<String>])] = [:]

    /// Documents of a client of whose loss the bridge alone has told, until both clients have the same again.
    private var lost: [String: Set<String>] = [:]

    init(_ history: History) {
        self.history = history
    }

    /// - Returns: what is left of the step's observations to compare, on both sides.
    mutating func compare(_ step: Step, gateway: Observation, bridge: Observation) -> (gateway: Observation, bridge: Observation) {
        guard case .pull(let name, let once) = step, let client = history.clients.first(where: { $0.name == name }) else {
            return (gateway, bridge)
        }
        let whole = (Self.joined(pending[name]?.gateway, gateway), Self.joined(pending[name]?.bridge, bridge))
        pending[name] = once ? whole : nil
        guard !once else { return (Observation(), Observation()) }
        let before = held[name] ?? ([:], [:])
        held[name] = (gateway.held, bridge.held)
        return withoutLosses(
            client, WantedDifference.evened(whole.0, before: before.gateway), WantedDifference.evened(whole.1, before: before.bridge))
    }

    private static func joined(_ earlier: Observation?, _ later: Observation) -> Observation {
        guard let earlier else { return later }
        var joined = later
        joined.rows = earlier.rows.merging(later.rows) { $1 }
        joined.statuses = earlier.statuses + later.statuses
        return joined
    }

    private mutating func withoutLosses(
        _ client: Client, _ gateway: Observation, _ bridge: Observation
    ) -> (gateway: Observation, bridge: Observation) {
        guard !client.revocations else { return (gateway, bridge) }
        var (theirs, ours) = (gateway, bridge)
        for (id, row) in ours.rows where row.marks == ["lost"] && theirs.rows[id] == nil { lost[client.name, default: []].insert(id) }
        for id in lost[client.name] ?? [] {
            if theirs.held[id] == ours.held[id] { lost[client.name]?.remove(id) }
            theirs.rows[id] = nil
            ours.rows[id] = nil
            theirs.held[id] = nil
            ours.held[id] = nil
        }
        return (theirs, ours)
    }
}

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
