import Documents
import Gateway
import Storage

extension World {
    private func parked(by upstream: Upstream) async throws -> [ParkedRevision] {
        try await bridge.database.parked(ParkedSelection(replication: upstream.rawValue), limit: ParkedRevision.maximumCount).revisions
    }

    /// Tries again what upstreams have refused, as far as the stage wants it to go.
    ///
    /// - Returns: how much of it has got through.
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

    /// Once a replication has come to its end, what was refused and has not arrived since is listed, once.
    func checkParking(_ upstream: Upstream, _ direction: Direction) async throws {
        guard let server = upstreams[upstream] else { return }
        let parked = try await parked(by: upstream)
        for refused in (ledger.refused[upstream] ?? []).sorted(by: { "\($0)" < "\($1)" }) {
            guard refused.direction == .pull ? direction.pulls || upstream == .modern : direction.pushes else { continue }
            let entries = parked.filter {
                $0.direction == refused.direction && $0.collection == refused.place.keyspace && $0.id == refused.place.id
                    && $0.revision == refused.revision
            }
            // Such a server is offered what has won, under whatever ID.
            if upstream == .legacy, refused.direction == .push, server.refusesBranches { continue }
            guard entries.count != 1, try await isMissing(refused, upstream, server) else { continue }
            throw Violation(
                invariant: .parking,
                detail: "the \(upstream.rawValue) upstream: \(refused) was refused and is listed \(entries.count) times")
        }
    }

    /// Once all has been tried again and everybody has replicated, nothing is parked any more.
    func checkNothingIsParked() async throws {
        for upstream in Upstream.allCases {
            guard let server = upstreams[upstream], let direction = allowed(.both, with: upstream) else { continue }
            for entry in try await parked(by: upstream) {
                guard direction == .both || (entry.direction == .push) == direction.pushes else { continue }
                // A line that has gone on, and is not looked at.
                if server.refusesBranches, direction == .push { continue }
                let place = Place(keyspace: entry.collection, id: entry.id)
                // What a restored server has lost it cannot give.
                if entry.direction == .pull, ledger.wasRestored(server.name), try await server.tree(at: place) == nil { continue }
                if entry.direction == .pull, ledger.hasLost(place, by: server.name) { continue }
                throw Violation(
                    invariant: .parking,
                    detail: "\(upstream.rawValue): \(place) \(entry.revision) is still parked (\(entry.direction)): \(entry.reason)")
            }
        }
    }

    /// Whether what was refused is still what is to go over, and has not.
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
