import Gateway
package import Storage

extension Replicator {
    /// The number of documents per retry replication; few enough that both sides look them up one by one.
    private static let stride = 100

    /// Replicates the documents of parked revisions once, in their current state, and nothing else.
    /// No checkpoint is saved. The outcome of each document is recorded in ``ReplicatorConfiguration/parking``.
    ///
    /// The direction is that of the replication, both ways included, because a refused revision may have become a conflict.
    ///
    /// - Throws: ``ReplicatorError`` if the server cannot be reached, or refuses more than a revision; errors of the store.
    package func tryAgain(_ parked: [ParkedRevision]) async throws {
        for collection in configuration.collections {
            let entries = parked.filter { $0.collection == collection.keyspace.parkingName }
            let pushed = entries.filter { $0.direction == .push }.map(\.id)
            try await releaseOvertaken(pushed, of: collection)
            var rest = Set(entries.map(\.id)).sorted()[...]
            while !rest.isEmpty {
                try await tryAgain(Array(rest.prefix(Self.stride)), of: collection)
                rest = rest.dropFirst(Self.stride)
            }
            // A revision that arrived meanwhile was not offered again, so it has no recorded outcome.
            try await releaseOvertaken(pushed, of: collection)
        }
    }

    private func releaseOvertaken(_ ids: [String], of collection: ReplicatedCollection) async throws {
        guard !ids.isEmpty else { return }
        try await configuration.parking?.releaseOvertaken(ids, in: collection.keyspace, isOnly: true)
    }

    private func tryAgain(_ ids: [String], of collection: ReplicatedCollection) async throws {
        var attempt = configuration
        attempt.continuous = false
        attempt.maxAttempts = 1
        attempt.keepsCheckpoints = false
        for other in configuration.collections { attempt.removeCollection(other.name) }
        var settings = collection.configuration
        settings.documentIDs = ids
        settings.channels = []
        attempt.addCollection(collection.keyspace, as: collection.name, config: settings)
        let replicator = try Replicator(configuration: attempt, limits: limits, clock: clock, logger: logger)
        // With other collections, the default collection is replicated by its name. Unnamed, it may represent the whole database on the
        // server.
        await replicator.nameDefault(namesDefault || configuration.collections.count > 1)
        await replicator.start()
        if let error = await replicator.waitUntilStopped().error { throw error }
    }

    private func nameDefault(_ names: Bool) {
        namesDefault = names
    }
}
