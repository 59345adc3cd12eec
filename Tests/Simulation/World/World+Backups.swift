import Gateway
import Storage

extension World {
    private func node(_ server: Server) -> Node? {
        switch server {
        case .bridge: bridge
        case .legacy: upstreams[.legacy]
        case .modern: upstreams[.modern]
        }
    }

    /// Makes a backup of a server.
    func backUp(_ server: Server) async throws -> String {
        guard let node = node(server) else { return "there is none" }
        let file = try await node.place.backUp(node.store.engine)
        backups[server] = Backup(file: file, mark: ledger.mark, stage: stage)
        return ""
    }

    /// The collections in which a server has documents, or had those that were moved since.
    private func places(of node: Node) async throws -> Set<Place> {
        var places: Set<Place> = []
        for keyspace in [""] + Subject.collections {
            places.formUnion(try await node.holdings(in: keyspace).keys)
            let ids = Set(Subject.all.flatMap { [$0.legacyID, $0.routed.id] }).sorted()
            let moved = try await node.keyspace(keyspace).blocking(ids, at: .zero, includesPassed: false)
            places.formUnion(moved.map { Place(keyspace: keyspace, id: $0.id) })
        }
        return places
    }

    /// Restores a server from its backup: the bridge as by the command `restore`, upstreams by a copy of their files.
    func restore(_ server: Server) async throws -> String {
        guard let node = node(server), let backup = backups[server] else { return "there is no backup" }
        try await recordLoss(of: node, server, backup) { try await node.restore(backup.file, raisesFence: server == .bridge) }
        guard server == .bridge else { return "" }
        // A standby would have got the backup's contents, too.
        standby = nil
        return try await resume(from: backup)
    }

    /// Copies the bridges' store: an asynchronous standby, which receives no further commits.
    func detachStandby() async throws -> String {
        guard let place = bridge.place as? PostgreSQLPlace else { return "there is none" }
        try await place.copyStandby()
        standby = Backup(file: "", mark: ledger.mark, stage: stage)
        return ""
    }

    /// Promotes the standby, which lacks the last commits, while the bridges run.
    func promote() async throws -> String {
        guard let place = bridge.place as? PostgreSQLPlace, let standby else { return "there is none" }
        self.standby = nil
        try await bridge.recover()
        try await recordLoss(of: bridge, .bridge, standby) {
            try await place.promoteStandby()
            // The next write of each bridge meets the other server, as the renewal of its lease does.
            for site in bridge.sites { try await site.store.engine.write { _ in } }
            // The lease may have been lost, too.
            try await bridge.renewLeases()
        }
        ledger.happen(.promoted)
        return try await resume(from: standby)
    }

    /// Adapts the world to the bridge's former state.
    private func resume(from backup: Backup) async throws -> String {
        try await allowCopies(after: backup)
        // The stage is in the store.
        stage = backup.stage
        isBehind = true
        // The access of users is known from elsewhere.
        for name in access.made.sorted() { try await bridge.put(name, by: access) }
        // Documents that had expired since the backup expire again as soon as the bridge runs.
        return "\(try await bridge.expire(hours: hours)) expired again"
    }

    /// A device that connected after the backup is unknown to the restored bridge once its app names collections.
    private func allowCopies(after backup: Backup) async throws {
        for (number, client) in clients.enumerated() {
            guard let visit = visits[number], visit > backup.mark else { continue }
            let former = client.generation == .second ? client.holdings.keys.map(\.id) : client.inherited.map(\.id)
            for id in former {
                // The bridge gets a lost document from one device in its collection, and from the other one in the default collection.
                let isLost = try await !bridge.hasDocument(id)
                let isForeign = try await bridge.wasWrittenInCollection(id)
                guard isLost || isForeign else { continue }
                ledger.allowCopy(at: Place(keyspace: Subject.collections[0], id: id))
            }
        }
    }

    /// Runs an operation that restores a server, and records the losses.
    func recordLoss(of node: Node, _ server: Server, _ backup: Backup, _ change: () async throws -> Void) async throws {
        let places = try await places(of: node)
        try await change()
        ledger.lose(places.subtracting(try await self.places(of: node)), by: node.name)
        var contents: [Place: Content] = [:]
        for keyspace in [""] + Subject.collections {
            contents.merge(try await node.holdings(in: keyspace).mapValues(\.content)) { $1 }
        }
        ledger.lose(by: node.name, after: backup.mark, having: contents)
        // Such a server gives the positions of running feeds to other documents, which their clients would not get from any server.
        if server == .legacy { for case let client as SimulatedLegacyClient in clients { client.running = nil } }
        ledger.happen(server.restoring)
    }
}
