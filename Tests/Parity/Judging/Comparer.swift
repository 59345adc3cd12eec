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
    private var past = Past()

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
        if case .write(let write) = step, isRefusedHere(write, gateway, bridge) { isOver = true }
        guard !isOver else { return (Observation(), Observation()) }
        past.note(numbered, statuses: gateway.statuses)
        if case .read = step, gateway.statuses.first != 200 || bridge.statuses.first != 200 { return (Observation(), Observation()) }
        guard case .pull(let name, let once) = step, let client = history.clients.first(where: { $0.name == name }) else {
            return (gateway, bridge)
        }
        let whole = (
            gateway: Self.joined(pending[name]?.gateway, gateway), bridge: Self.joined(pending[name]?.bridge, bridge)
        )
        // What the answers with a limit brought, and nothing after them.
        let old = Set((pending[name]?.gateway.rows ?? [:]).keys).subtracting(gateway.rows.keys)
        pending[name] = once ? whole : nil
        guard !once else { return (Observation(), Observation()) }
        // A bridge ends the feed of a guest who is disabled.
        if client.user == Client.guest, bridge.statuses.contains(0), !gateway.statuses.contains(0) { ended.insert(name) }
        guard !ended.contains(name) else { return (Observation(), Observation()) }
        let before = held[name] ?? ([:], [:])
        held[name] = (gateway.held, bridge.held)
        return together(client, whole, before, old)
    }

    /// Whether a deletion lets a branch win that the sync function refuses from this writer: Sync Gateway 2.8 takes the deletion, 3.2 does not.
    private func isRefusedHere(_ write: Write, _ gateway: Observation, _ bridge: Observation) -> Bool {
        guard history.dialect == .gateway28, gateway.statuses.count == write.edits.count, gateway.statuses != bridge.statuses else {
            return false
        }
        return zip(write.edits, zip(gateway.statuses, bridge.statuses)).allSatisfy { edit, statuses in
            statuses.0 == statuses.1 || edit.isDeleted && statuses == (201, 403)
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
        _ before: (gateway: [String: Set<String>], bridge: [String: Set<String>]), _ old: Set<String>
    ) -> (gateway: Observation, bridge: Observation) {
        var told = told
        for (id, row) in told.gateway.rows where row.answers.contains("no-file") {
            told.gateway.rows[id]?.answers.remove("no-file")
            told.bridge.rows[id]?.answers.remove("no-file")
        }
        var theirs = WantedDifference.evened(told.gateway, before: before.gateway)
        var ours = WantedDifference.evened(told.bridge, before: before.bridge)
        for id in Set(theirs.rows.keys).union(ours.rows.keys) {
            if isApart(id, client, told, before, isOld: old.contains(id)) {
                apart[client.name, default: []].insert(id)
            } else if told.gateway.rows[id]?.answers.contains("200") == true, theirs.held[id] != ours.held[id] {
                // What a Sync Gateway gives has to come from a bridge, too.
                apart[client.name]?.remove(id)
            }
        }
        for (id, row) in theirs.rows where row.marks == ["deleted"] && told.gateway.rows[id]?.marks != ["deleted"] {
            // With a departure, a Sync Gateway names the branches that there were.
            if let own = ours.rows[id], own.marks == row.marks, !own.revisions.isDisjoint(with: row.revisions) {
                ours.rows[id]?.revisions = row.revisions
            }
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

    /// Whether what is told of a document is wanted to be different, so that the client goes on with other revisions of it.
    private func isApart(
        _ id: String, _ client: Client, _ told: (gateway: Observation, bridge: Observation),
        _ before: (gateway: [String: Set<String>], bridge: [String: Set<String>]), isOld: Bool
    ) -> Bool {
        let (theirs, ours) = (told.gateway.rows[id], told.bridge.rows[id])
        if let ours, ours.isNotice || told.bridge.isLoss(ours) {
            // What both have given before, or the Sync Gateway in an answer that had an end, the bridge alone takes back.
            let isGiven = theirs.map { !told.gateway.isLoss($0) && (ours.answers.contains("200") || isOld) } ?? true
            // Nor does a Sync Gateway tell of deletions when a channel is granted that has them.
            if isGiven, !client.revocations || ours.marks.contains("deleted") { return true }
            // Nor of what had left the channel of a role before the role was removed.
            let had = before.gateway[id] ?? []
            if theirs == nil, ours.marks.contains("revoked"), past.hasDroppedRole(client.user), !had.isEmpty,
                had.allSatisfy({ past.isReplaced($0, of: id, in: client.keyspace) })
            {
                return true
            }
        }
        // Sync Gateway remembers what branches there were as the document left, or none.
        if let theirs, let ours, theirs.marks.contains(where: WantedDifference.isLoss), client.allLeaves,
            ours.revisions.count > theirs.revisions.count, ours.revisions.isSuperset(of: theirs.revisions) || isReplaced(theirs, client)
        {
            return true
        }
        // The guest's open feed names what came into sight, and does not give it out.
        if history.dialect == .gateway28, client.user == Client.guest, client.feed == .blip, let theirs, let ours,
            theirs.answers == ["removed"], ours.answers.contains("200"), theirs.revisions == ours.revisions
        {
            return true
        }
        // A Sync Gateway counts the channels of a role that is made late from the documents that gave them.
        if theirs == nil, before.gateway[id] == nil, let ours, ours.answers.contains("200"), past.hasLateRole(client.user) { return true }
        let isNew = before.gateway[id] == nil && before.bridge[id] == nil
        // An older departure, in front of the last one, with a revision that the client may see and that is replaced.
        if let theirs, isReplaced(theirs, client), ours == nil ? isNew : told.bridge.held[id] == nil { return true }
        return isNew && [theirs, ours].allSatisfy { $0.map { isOutside($0, client) } ?? true }
    }

    private func isReplaced(_ row: Observation.Row, _ client: Client) -> Bool {
        guard row.revisions.count == 1, let name = row.revisions.first else { return false }
        return past.isReplaced(name, of: row.id, in: client.keyspace)
    }

    /// Whether a row tells of revisions that are in none of the channels that a client asks for: it is there because the document has left them.
    private func isOutside(_ row: Observation.Row, _ client: Client) -> Bool {
        guard let asked = client.channels else { return false }
        return row.revisions.allSatisfy { name in
            past.channels(of: name, of: row.id, in: client.keyspace).map { Set($0).isDisjoint(with: asked) } ?? false
        }
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
            let (theirs, ours) = comparer.compare(step, gateway: gateway[index], bridge: bridge[index])
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
