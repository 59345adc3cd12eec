extension World {
    /// Carries out a step of a device or its app.
    func change(_ client: Int, by step: DeviceStep) async throws -> String {
        switch step {
        case .changeURL:
            let inherited = clients[client].hasBeenSeen ? [] : clients[client].inherited
            ledger.happen(inherited.isEmpty ? .changedURL : .gainedCollectionsElsewhere)
            for place in inherited where try await homes[client].wasWrittenInCollection(place.id) { ledger.allowCopy(at: place) }
            clients[client].changeURL()
        case .backUp: deviceBackups[client] = try clients[client].copy(for: nil, number: 0)
        case .restore:
            guard let backup = deviceBackups[client] else { return "there is no backup" }
            ledger.happen(.restoredDevice)
            let former = clients[client]
            clients[client] = upgraded(try backup.copy(for: nil, number: 0), to: former.generation)
            (clients[client] as? ModernClient)?.recordFormer(former)
        case .copy(let source):
            guard source != client, clients[source].generation == clients[client].generation, homes[source] === homes[client],
                readers[source] == nil, readers[client] == nil,
                clients[source].former.isEmpty || clients[source].isRecognized
            else { return "they do not fit" }
            ledger.happen(.copiedDevice)
            if clients[source].generation == .fourth {
                for name in [clients[source].name, clients[client].name] { ledger.recordCopiedEdits(clients[source].unsent, of: name) }
            }
            deviceBackups[client] = nil
            copies += 1
            clients[client] = try clients[source].copy(for: clients[client].name, number: copies)
        case .gainCollections:
            guard clients[client].generation == .second, clients[client].isRecognized, homes[client] === bridge else { return "not now" }
            ledger.happen(.gainedCollections)
            clients[client] = upgraded(clients[client], to: .third)
            let there = try await bridge.holdings(in: Subject.collections[0])
            placedElsewhere.formUnion(clients[client].former.filter { there[$0] == nil && $0 != Subject.routed(of: $0.id) })
        case .gainVersions:
            guard clients[client].generation == .third else { return "it is none of 3.x" }
            ledger.happen(.gainedVersions)
            clients[client] = upgraded(clients[client], to: .fourth)
        }
        return ""
    }

    /// The database of a backup, opened by the app's present version.
    private func upgraded(_ client: any SimulatedClient, to generation: Generation) -> any SimulatedClient {
        var client = client
        while client.generation != generation, let next = (client as? ModernClient)?.upgraded() { client = next }
        return client
    }
}
