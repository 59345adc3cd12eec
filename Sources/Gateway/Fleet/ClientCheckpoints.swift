import Storage

/// The checkpoints and the recorded requests of one client.
struct ClientCheckpoints {
    private struct Name: Hashable {
        let user: String
        let generation: Int
        let agent: String

        static func == (a: Name, b: Name) -> Bool {
            a.generation == b.generation && a.user.utf8.elementsEqual(b.user.utf8) && a.agent.utf8.elementsEqual(b.agent.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(generation)
            for byte in user.utf8 { hasher.combine(byte) }
            for byte in agent.utf8 { hasher.combine(byte) }
        }
    }

    let user: String
    let generation: Int
    let agent: String
    private(set) var groups: [CheckpointGroup] = []

    /// `nil` if only checkpoints were recorded.
    private(set) var visits: VisitGroup?

    private init(_ name: Name) {
        (user, generation, agent) = (name.user, name.generation, name.agent)
    }

    /// Groups records by client, the latest seen first.
    static func clients(of groups: [CheckpointGroup], _ visits: [VisitGroup] = []) -> [ClientCheckpoints] {
        var clients: [Name: ClientCheckpoints] = [:]
        for group in groups {
            let name = Name(user: group.user, generation: group.generation, agent: group.agent)
            clients[name, default: ClientCheckpoints(name)].groups.append(group)
        }
        for group in visits {
            let name = Name(user: group.user, generation: group.generation, agent: group.agent)
            clients[name, default: ClientCheckpoints(name)].visits = group
        }
        return clients.values.sorted {
            ($1.lastSeen, $0.user, $0.generation, $0.agent) < ($0.lastSeen, $1.user, $1.generation, $1.agent)
        }
    }

    static func totals(of clients: [ClientCheckpoints]) -> [FleetGeneration] {
        var totals: [Int: FleetGeneration] = [:]
        for client in clients {
            var total = totals[client.generation] ?? FleetGeneration(generation: client.generation)
            total.clients += 1
            total.devices += client.devices
            total.checkpoints += client.checkpoints
            total.lastSeen = max(total.lastSeen, client.lastSeen)
            totals[client.generation] = total
        }
        return totals.values.sorted { $0.generation < $1.generation }
    }

    /// At least one, for clients with requests only.
    var devices: Int { groups.map(\.count).max() ?? 1 }
    var checkpoints: Int { groups.reduce(0) { $0 + $1.count } }
    var firstSeen: Int64 { (groups.map(\.firstSeen) + [visits?.firstSeen].compactMap { $0 }).min() ?? 0 }
    var lastSeen: Int64 { (groups.map(\.lastSeen) + [visits?.lastSeen].compactMap { $0 }).max() ?? 0 }
}
