import Storage

extension Database {
    /// Up to how many changes it is counted how far a client is behind.
    public static let countedChanges = 10_000

    /// Who has been seen since a time.
    ///
    /// - Parameters:
    ///   - time: In milliseconds since 1970.
    ///   - generation: Only clients of this generation; `nil` for all.
    ///   - limit: At most this many checkpoints are looked at.
    public func fleet(since time: Int64 = 0, generation: Int? = nil, limit: Int = 1_000) async throws -> Fleet {
        let database = self
        return try await store.read { snapshot in
            var counts: [FeedScope: [Sequence: Int]] = [:]
            var members: [FleetMember] = []
            for sighting in try snapshot.sightings(since: time, limit: limit) where generation.map({ $0 == sighting.generation }) ?? true {
                var behind: Int?
                if let position = sighting.position {
                    behind =
                        try counts[sighting.scope]?[position]
                        ?? snapshot.changeCount(sighting.scope, after: position, upTo: nil, limit: Self.countedChanges)
                    counts[sighting.scope, default: [:]][position] = behind
                }
                members.append(
                    FleetMember(
                        sighting: sighting, keyspace: try database.keyspaceName(sighting.scope, in: snapshot), changesBehind: behind))
            }
            return Fleet(members: members, days: try snapshot.sightingDays(since: time / SightingDay.length))
        }
    }

    private func keyspaceName(_ scope: FeedScope, in snapshot: any StoreSnapshot) throws -> String {
        guard case .collection(let key) = scope else { return name }
        return try snapshot.collection(key).map { "\(name).\($0.scope).\($0.name)" } ?? name
    }
}
