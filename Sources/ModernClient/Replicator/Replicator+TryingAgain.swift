import Gateway
public import Storage

extension Replicator {
    /// Documents that are replicated at once when they are tried again, so that both sides look them up one by one.
    private static let stride = 100

    /// Tries parked revisions again, and nothing else: their documents are replicated as they are by now, once, with nothing kept of how far that has
    /// come. What comes of each is noted in ``ReplicatorConfiguration/parking``.
    ///
    /// It goes both ways where the replication does, because what was refused may be in conflict by now.
    ///
    /// - Throws: ``ReplicatorError`` if the server cannot be reached, or refuses more than a revision; what the store throws.
    public func tryAgain(_ parked: [ParkedRevision]) async throws {
        for collection in configuration.collections {
            let entries = parked.filter { $0.collection == collection.keyspace.parkingName }
            let pushed = entries.filter { $0.direction == .push }.map(\.id)
            try await releaseOvertaken(pushed, of: collection)
            var rest = Set(entries.map(\.id)).sorted()[...]
            while !rest.isEmpty {
                try await tryAgain(Array(rest.prefix(Self.stride)), of: collection)
                rest = rest.dropFirst(Self.stride)
            }
            // What has come meanwhile was not offered again, so nothing was said of it.
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
        // Among others the default collection goes by its name. Without one it may stand for the whole database there.
        await replicator.nameDefault(namesDefault || configuration.collections.count > 1)
        await replicator.start()
        if let error = await replicator.waitUntilStopped().error { throw error }
    }

    private func nameDefault(_ names: Bool) {
        namesDefault = names
    }
}
