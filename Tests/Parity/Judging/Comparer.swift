/// Goes through a history and compares both servers, step by step.
struct Comparer {
    private let history: History

    /// What a client's pulls of one answer each have brought since its last whole pull: where an answer ends is the server's own.
    private var pending: [String: (gateway: Observation, bridge: Observation)] = [:]

    /// What each client has had after its last whole pull.
    private var held: [String: (gateway: [String: Set<String>], bridge: [String: Set<String>])] = [:]

    /// Documents of a client that it has from one server alone, as the table of wanted differences says, until both clients have the same again.
    private var apart: [String: Set<String>] = [:]

    /// Clients whose feed a bridge has ended and a Sync Gateway has not.
    private var ended: Set<String> = []

    /// Clients that are connected, and those of the guest whom Sync Gateway 2.8 goes on giving what the guest might see when they connected.
    private var connected: Set<String> = []
    private var lasting: Set<String> = []
    private var past = Past()

    /// By what the bridge has broken its promise in the last step.
    private(set) var breaches: [String] = []

    /// Whether both servers have gone on with different documents.
    private var isOver = false

    init(_ history: History) {
        self.history = history
    }

    /// - Returns: what is left of the step's observations to compare, on both sides.
    mutating func compare(
        _ numbered: History.Numbered, gateway: Observation, bridge: Observation
    ) -> (gateway: Observation, bridge: Observation) {
        let step = numbered.step
        breaches = []
        if case .write(let write) = step, partWays(write, gateway, bridge) { isOver = true }
        // Who has given so many wrong passwords is refused by a bridge for a while, whatever follows.
        if gateway.statuses == [401], bridge.statuses == [429] { isOver = true }
        guard !isOver else { return (Observation(), Observation()) }
        past.note(numbered, statuses: gateway.statuses)
        note(step)
        if case .open(let name) = step, isRefusedByBridgeAlone(name, gateway, bridge) {
            ended.insert(name)
            return (Observation(), Observation())
        }
        if case .read = step, gateway.statuses.first != 200 || bridge.statuses.first != 200 { return (Observation(), Observation()) }
        guard case .pull(let name, let once) = step, let client = history.clients.first(where: { $0.name == name }) else {
            return (gateway, bridge)
        }
        let whole = (
            gateway: Self.joined(pending[name]?.gateway, gateway), bridge: Self.joined(pending[name]?.bridge, bridge)
        )
        let wasPending = pending[name] != nil
        let meanwhile = pending[name]?.bridge.held ?? [:]
        // What the answers with a limit brought, and nothing after them.
        let old = Set((pending[name]?.gateway.rows ?? [:]).keys).subtracting(gateway.rows.keys)
        pending[name] = once ? whole : nil
        guard !once else { return (Observation(), Observation()) }
        // A bridge ends the feed of a guest who is disabled.
        if client.user == Client.guest, bridge.statuses.contains(0), !gateway.statuses.contains(0) { ended.insert(name) }
        guard !ended.contains(name) else { return (Observation(), Observation()) }
        let before = held[name] ?? ([:], [:])
        held[name] = (gateway.held, bridge.held)
        if bridge.statuses.isEmpty, let listed = bridge.listed {
            breaches = Promise(client: client, past: past).breaches(held: bridge.held, listed: listed)
        }
        // Who is refused by now does not get what the answer with a limit left out.
        let isCutOff = wasPending && gateway.statuses == [401] && bridge.statuses == [401]
        var (theirs, ours) = together(client, whole, before, (old, meanwhile), isCutOff: isCutOff)
        // Who has been shut out meanwhile is refused the list.
        if theirs.listed == nil || ours.listed == nil { (theirs.listed, ours.listed) = (nil, nil) }
        return (theirs, ours)
    }

    /// Whether a guest who is disabled opens the feed again that a bridge has ended. At the Sync Gateway it is open still.
    private func isRefusedByBridgeAlone(_ name: String, _ gateway: Observation, _ bridge: Observation) -> Bool {
        gateway.statuses.isEmpty && bridge.statuses == [401] && history.clients.contains { $0.name == name && $0.user == Client.guest }
    }

    private mutating func note(_ step: Step) {
        switch step {
        case .open(let name): connected.insert(name)
        case .close(let name): connected.remove(name)
        case .account(let account) where account.name == Client.guest && history.dialect == .gateway28:
            lasting.formUnion(history.clients.filter { $0.user == Client.guest && connected.contains($0.name) }.map(\.name))
        default: break
        }
    }

    /// Whether one server alone takes what is written, as it may: Sync Gateway 2.8 a deletion that lets a branch win that the sync function refuses from this
    /// writer, a bridge an attachment that is kept where a Sync Gateway has lost it.
    private func partWays(_ write: Write, _ gateway: Observation, _ bridge: Observation) -> Bool {
        guard gateway.statuses.count == write.edits.count, gateway.statuses != bridge.statuses else { return false }
        return zip(write.edits, zip(gateway.statuses, bridge.statuses)).allSatisfy { edit, statuses in
            statuses.0 == statuses.1 || edit.file == .kept && statuses == (400, 201)
                || history.dialect == .gateway28 && edit.isDeleted && statuses == (201, 403)
        }
    }

    private static func joined(_ earlier: Observation?, _ later: Observation) -> Observation {
        guard let earlier else { return later }
        var joined = later
        joined.rows = earlier.rows.merging(later.rows) { $1.after($0) }
        joined.statuses = earlier.statuses + later.statuses
        return joined
    }

    /// Both observations without the documents that a client has from one server alone, and may.
    private mutating func together(
        _ client: Client, _ told: (gateway: Observation, bridge: Observation),
        _ before: (gateway: [String: Set<String>], bridge: [String: Set<String>]),
        _ limited: (rows: Set<String>, held: [String: Set<String>]), isCutOff: Bool
    ) -> (gateway: Observation, bridge: Observation) {
        var told = told
        for (id, row) in told.gateway.rows where row.answers.contains("no-file") {
            told.gateway.rows[id]?.answers.remove("no-file")
            told.bridge.rows[id]?.answers.remove("no-file")
        }
        var theirs = WantedDifference.evened(told.gateway, before: before.gateway)
        var ours = WantedDifference.evened(told.bridge, before: before.bridge)
        for id in Set(told.gateway.rows.keys).union(ours.rows.keys) {
            let document = Told(
                id: id, client: client, rows: (told.gateway.rows[id], told.bridge.rows[id]), had: (before.gateway[id], before.bridge[id]),
                has: (told.gateway.held[id], told.bridge.held[id]), hadMeanwhile: limited.held[id] ?? [], isOld: limited.rows.contains(id),
                hasLastingRights: lasting.contains(client.name), dialect: history.dialect, keepsTombstones: history.keepsTombstones,
                isInSight: told.gateway.listed.map { $0[id] != nil }, past: past)
            if document.isApart {
                apart[client.name, default: []].insert(id)
            } else if document.isGivenByGatewayAlone {
                apart[client.name]?.remove(id)
            }
        }
        for (id, row) in theirs.rows where ours.rows[id] != nil && theirs.held[id] == nil && ours.held[id] == nil {
            // Of a deletion both say in their own ways that it is a loss as well, and what branches there were.
            if told.gateway.rows[id]?.tellsDeletion == true, told.bridge.rows[id]?.tellsDeletion == true { ours.rows[id] = row }
        }
        if isCutOff {
            let ids = Set(theirs.held.keys).union(ours.held.keys)
            apart[client.name, default: []].formUnion(ids.filter { theirs.held[$0] != ours.held[$0] })
        }
        for id in apart[client.name] ?? [] {
            if theirs.held[id] == ours.held[id] { apart[client.name]?.remove(id) }
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

    /// By what the bridge has broken its promise.
    let breaches: [String]

    /// - Returns: `nil` where both say the same, but for what is wanted.
    static func first(in history: History, gateway: [Observation], bridge: [Observation]) -> Difference? {
        var comparer = Comparer(history)
        for (index, step) in history.steps.enumerated() where index < gateway.count && index < bridge.count {
            let (theirs, ours) = comparer.compare(step, gateway: gateway[index], bridge: bridge[index])
            guard theirs == ours, comparer.breaches.isEmpty else {
                return Difference(step: step, gateway: gateway[index], bridge: bridge[index], breaches: comparer.breaches)
            }
        }
        return nil
    }
}

extension Difference: CustomStringConvertible {
    var description: String {
        let lines = ["After step \(step.number), \(step.step):", "  Sync Gateway: \(gateway)", "  the bridge:   \(bridge)"]
        return (lines + breaches.map { "  \($0)" }).joined(separator: "\n")
    }
}
