/// Compares the observations of both servers, step by step.
struct Comparer {
    private let history: History

    /// The results of a client's pulls of one reply since its last whole pull. Servers end a limited reply at different rows, so these results are
    /// compared with the next whole pull.
    private var pending: [String: (gateway: Observation, bridge: Observation)] = [:]

    /// The documents of each client after its last whole pull.
    private var held: [String: (gateway: [String: Set<String>], bridge: [String: Set<String>])] = [:]

    /// Documents that a client has from only one server, by a wanted difference, until both clients have the same again.
    private var apart: [String: Set<String>] = [:]

    /// Clients whose feed a bridge has ended and a Sync Gateway has not.
    private var ended: Set<String> = []

    /// Connected clients, and clients of the guest for which Sync Gateway 2.8 keeps the guest's access from the time of the connection.
    private var connected: Set<String> = []
    private var lasting: Set<String> = []
    private var past = Past()

    /// Contradictions between the bridge's list and its client in the last step.
    private(set) var breaches: [String] = []

    /// Whether the histories of both servers have diverged, so that the comparison has ended.
    private var isOver = false

    init(_ history: History) {
        self.history = history
    }

    /// - Returns: the parts of the step's observations that remain to compare, for both servers.
    mutating func compare(
        _ numbered: History.Numbered, gateway: Observation, bridge: Observation
    ) -> (gateway: Observation, bridge: Observation) {
        let step = numbered.step
        breaches = []
        if case .write(let write) = step, diverge(write, gateway, bridge) { isOver = true }
        // A bridge refuses a user with too many wrong passwords for a while, for all later steps.
        if gateway.statuses == [401], bridge.statuses == [429] { isOver = true }
        guard !isOver else { return (Observation(), Observation()) }
        past.record(numbered, statuses: gateway.statuses)
        record(step)
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
        // Rows of limited replies that no later reply repeats.
        let old = Set((pending[name]?.gateway.rows ?? [:]).keys).subtracting(gateway.rows.keys)
        pending[name] = once ? whole : nil
        guard !once else { return (Observation(), Observation()) }
        // A bridge ends the feed of a disabled guest.
        if client.user == Client.guest, bridge.statuses.contains(0), !gateway.statuses.contains(0) { ended.insert(name) }
        guard !ended.contains(name) else { return (Observation(), Observation()) }
        let before = held[name] ?? ([:], [:])
        held[name] = (gateway.held, bridge.held)
        if bridge.statuses.isEmpty, let listed = bridge.listed {
            breaches = ListCheck(client: client, past: past).breaches(held: bridge.held, listed: listed)
        }
        // A client that is refused does not get the rest of the limited reply.
        let isCutOff = wasPending && gateway.statuses == [401] && bridge.statuses == [401]
        var (theirs, ours) = together(client, whole, before, (old, meanwhile), isCutOff: isCutOff)
        // A user who was locked out meanwhile gets no list.
        if theirs.listed == nil || ours.listed == nil { (theirs.listed, ours.listed) = (nil, nil) }
        return (theirs, ours)
    }

    /// Whether a disabled guest opens a feed again that the bridge has ended. At the Sync Gateway the feed is still open.
    private func isRefusedByBridgeAlone(_ name: String, _ gateway: Observation, _ bridge: Observation) -> Bool {
        gateway.statuses.isEmpty && bridge.statuses == [401] && history.clients.contains { $0.name == name && $0.user == Client.guest }
    }

    private mutating func record(_ step: Step) {
        switch step {
        case .open(let name): connected.insert(name)
        case .close(let name): connected.remove(name)
        case .account(let account) where account.name == Client.guest && history.dialect == .gateway28:
            lasting.formUnion(history.clients.filter { $0.user == Client.guest && connected.contains($0.name) }.map(\.name))
        default: break
        }
    }

    /// Whether only one server accepts the write, by a wanted difference: Sync Gateway 2.8 accepts a deletion that makes a branch win which the sync
    /// function refuses from this writer; a bridge accepts a kept attachment that a Sync Gateway has lost.
    private func diverge(_ write: Write, _ gateway: Observation, _ bridge: Observation) -> Bool {
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

    /// Both observations without the documents that the client may have from only one server.
    private mutating func together(
        _ client: Client, _ observed: (gateway: Observation, bridge: Observation),
        _ before: (gateway: [String: Set<String>], bridge: [String: Set<String>]),
        _ limited: (rows: Set<String>, held: [String: Set<String>]), isCutOff: Bool
    ) -> (gateway: Observation, bridge: Observation) {
        var observed = observed
        for (id, row) in observed.gateway.rows where row.answers.contains("no-file") {
            observed.gateway.rows[id]?.answers.remove("no-file")
            observed.bridge.rows[id]?.answers.remove("no-file")
        }
        var theirs = WantedDifference.evened(observed.gateway, before: before.gateway)
        var ours = WantedDifference.evened(observed.bridge, before: before.bridge)
        for id in Set(observed.gateway.rows.keys).union(ours.rows.keys) {
            let document = DocumentComparison(
                id: id, client: client, rows: (observed.gateway.rows[id], observed.bridge.rows[id]),
                had: (before.gateway[id], before.bridge[id]),
                has: (observed.gateway.held[id], observed.bridge.held[id]), hadMeanwhile: limited.held[id] ?? [],
                isOld: limited.rows.contains(id),
                hasLastingRights: lasting.contains(client.name), dialect: history.dialect, keepsTombstones: history.keepsTombstones,
                isInSight: observed.gateway.listed.map { $0[id] != nil }, past: past)
            if document.isApart {
                apart[client.name, default: []].insert(id)
            } else if document.isGivenByGatewayAlone {
                apart[client.name]?.remove(id)
            }
        }
        for (id, row) in theirs.rows where ours.rows[id] != nil && theirs.held[id] == nil && ours.held[id] == nil {
            // Both servers report a deletion in different forms: also as a loss, and with other branches.
            if observed.gateway.rows[id]?.reportsDeletion == true, observed.bridge.rows[id]?.reportsDeletion == true { ours.rows[id] = row }
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

/// The first step of a history after which the observations of a bridge and a Sync Gateway differ.
struct Difference {
    let step: History.Numbered
    let gateway: Observation
    let bridge: Observation

    /// Contradictions between the bridge's list and its client.
    let breaches: [String]

    /// - Returns: `nil` if the observations are equal except for wanted differences.
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
