import TestSupport

extension World {
    /// Creates the user of a client that connects for the first time.
    func admit(_ client: Int) async throws {
        guard let reader = reader(client), !access.made.contains(reader.name) else { return }
        ledger.happen(.cameLate)
        try await bridge.put(reader.name, by: access)
    }

    /// Changes the access of an existing or future user.
    func change(_ step: AccessStep) async throws {
        let name: String
        switch step {
        case .team(let channels):
            name = AccessBook.team
            access.model.general[name] = channels
            ledger.happen(.changedTeam)
        case .membership(let client):
            guard let reader = readers[client] else { return }
            name = reader.name
            let isMember = access.model.roles[name]?.isEmpty == false
            access.model.roles[name] = isMember ? [] : [AccessBook.team]
            ledger.happen(isMember ? .leftTeam : .joinedTeam)
        case .everything(let client):
            guard let reader = readers[client] else { return }
            name = reader.name
            let isAll = access.model.general[name]?.contains("*") == true
            if isAll { access.model.general[name]?.remove("*") } else { access.model.general[name]?.insert("*") }
            ledger.happen(isAll ? .revokedEverything : .grantedEverything)
        }
        if access.made.contains(name) { try await bridge.put(name, by: access) }
    }

    /// Gives a client other channels, while it is offline or in the middle of a replication.
    ///
    /// - Parameter position: The message of a replication before which it occurs; `nil` while the client is offline.
    func regrant(_ client: Int, _ channels: Set<String>, during position: Int?) async throws -> String {
        guard let reader = readers[client] else { return "it may see everything" }
        try await admit(client)
        let (bridge, ledger, access) = (bridge, ledger, access)
        let before = access.model.general[reader.name] ?? []
        let (isGrant, isRevocation) = (!channels.isSubset(of: before), !before.isSubset(of: channels))
        func set() async throws {
            access.model.general[reader.name] = channels
            try await bridge.put(reader.name, by: access)
        }
        guard let position else {
            try await set()
            if isGrant { ledger.happen(.grantedAway) }
            if isRevocation { ledger.happen(.revokedAway) }
            return ""
        }
        var isDone = false
        let result = try await replicate(
            client, .both, nil,
            interlude: Line.Interlude(position: position) {
                try await set()
                isDone = true
            })
        // The replication was too short for the change.
        guard isDone else {
            try await set()
            return result
        }
        if isGrant { ledger.happen(.grantedConnected) }
        if isRevocation { ledger.happen(.revokedConnected) }
        return result
    }
}
