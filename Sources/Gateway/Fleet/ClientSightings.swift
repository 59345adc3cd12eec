import Storage

/// What was seen of one client.
struct ClientSightings {
    let groups: [SightingGroup]

    /// Puts together what is one client's. Those seen last come first.
    ///
    /// - Parameter groups: those of one client beside each other.
    static func clients(of groups: [SightingGroup]) -> [ClientSightings] {
        var clients: [ClientSightings] = []
        var rest = groups[...]
        while let first = rest.first {
            let own = rest.prefix { isOne($0, first) }
            clients.append(ClientSightings(groups: Array(own)))
            rest = rest.dropFirst(own.count)
        }
        return clients.sorted { ($1.lastSeen, $0.user, $0.generation, $0.agent) < ($0.lastSeen, $1.user, $1.generation, $1.agent) }
    }

    private static func isOne(_ a: SightingGroup, _ b: SightingGroup) -> Bool {
        a.generation == b.generation && a.user.utf8.elementsEqual(b.user.utf8) && a.agent.utf8.elementsEqual(b.agent.utf8)
    }

    static func totals(of clients: [ClientSightings]) -> [FleetGeneration] {
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

    var user: String { groups.first?.user ?? "" }
    var generation: Int { groups.first?.generation ?? 0 }
    var agent: String { groups.first?.agent ?? "" }
    var devices: Int { groups.map(\.count).max() ?? 0 }
    var checkpoints: Int { groups.reduce(0) { $0 + $1.count } }
    var firstSeen: Int64 { groups.map(\.firstSeen).min() ?? 0 }
    var lastSeen: Int64 { groups.map(\.lastSeen).max() ?? 0 }
}
