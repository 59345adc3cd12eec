import Documents
import Gateway
import Storage

extension World {
    /// The revisions that an upstream has refused.
    func parked(by upstream: Upstream) async throws -> [ParkedRevision] {
        try await bridge.database.parked(ParkedSelection(replication: upstream.rawValue), limit: ParkedRevision.maximumCount).revisions
    }

    /// Retries the revisions that upstreams have refused, as far as the stage allows it.
    ///
    /// - Returns: The number of successful revisions.
    func tryAgain() async throws -> String {
        var (tried, left) = (0, 0)
        for upstream in Upstream.allCases {
            guard let server = upstreams[upstream], let direction = allowed(.both, with: upstream) else { continue }
            let parked = try await parked(by: upstream).filter { direction == .both || ($0.direction == .push) == direction.pushes }
            try await bridge.tryAgain(parked, with: server, upstream)
            tried += parked.count
            left += try await bridge.database.parked(parked.map(\.key)).compactMap(\.self).count
        }
        for _ in 0..<(tried - left) { ledger.happen(.gotThroughLater) }
        return "\(tried - left) of \(tried)"
    }

    /// After the end of a replication, each refused revision that was not transferred since is listed once.
    func checkParking(_ upstream: Upstream, _ direction: Direction) async throws {
        guard let server = upstreams[upstream] else { return }
        let parked = try await parked(by: upstream)
        for refused in (ledger.refused[upstream] ?? []).sorted(by: { "\($0)" < "\($1)" }) {
            guard refused.direction == .pull ? direction.pulls || upstream == .modern : direction.pushes else { continue }
            let entries = parked.filter {
                $0.direction == refused.direction && $0.collection == refused.place.keyspace && $0.id == refused.place.id
                    && $0.revision == refused.revision
            }
            // Such a server is offered the winner, under any ID.
            if upstream == .legacy, refused.direction == .push, server.refusesBranches { continue }
            guard entries.count != 1, try await isMissing(refused, upstream, server) else { continue }
            throw Violation(
                invariant: .parking,
                detail: "the \(upstream.rawValue) upstream: \(refused) was refused and is listed \(entries.count) times")
        }
    }

    /// After a retry of all revisions and a replication of all clients, nothing is parked.
    func checkNothingIsParked() async throws {
        for upstream in Upstream.allCases {
            guard let server = upstreams[upstream], let direction = allowed(.both, with: upstream) else { continue }
            for entry in try await parked(by: upstream) {
                guard direction == .both || (entry.direction == .push) == direction.pushes else { continue }
                // A single branch that has grown, and is not pulled.
                if server.refusesBranches, direction == .push { continue }
                let place = Place(keyspace: entry.collection, id: entry.id)
                // A restored server cannot send its lost revisions.
                if entry.direction == .pull, ledger.wasRestored(server.name), try await server.tree(at: place) == nil { continue }
                if entry.direction == .pull, ledger.hasLost(place, by: server.name) { continue }
                throw Violation(
                    invariant: .parking,
                    detail: "\(upstream.rawValue): \(place) \(entry.revision) is still parked (\(entry.direction)): \(entry.reason)")
            }
        }
    }

    /// Whether the refused revision is still to be transferred, and was not.
    private func isMissing(_ refused: RefusedRevision, _ upstream: Upstream, _ server: Node) async throws -> Bool {
        guard let revision = RevisionID(refused.revision) else { return false }
        let (from, to) = refused.direction == .push ? (bridge, server) : (server, bridge)
        let tree = try await from.keyspace(refused.place.keyspace).read { try $0.document(refused.place.id)?.tree }
        guard let tree else { return false }
        let isWanted =
            upstream == .legacy ? tree.leaves.contains { $0.id == revision } : tree.winner?.id.modernAlias == revision
        guard isWanted else { return false }
        return try await to.tree(at: refused.place)?.lookup(modern: revision) == nil
    }
}
