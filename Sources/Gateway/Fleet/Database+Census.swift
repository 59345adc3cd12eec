import Storage

extension Database {
    /// The maximum that is counted for the number of changes that a client is behind.
    package static let countedChanges = 10_000

    /// The maximum number of checkpoints that are read, the latest written first.
    package static let countedCheckpoints = 100_000

    /// Counts the recorded clients, and describes a page of them.
    package func fleetReport(_ query: FleetQuery) async throws -> FleetReport {
        try await visits.flush()
        let open = visits.openFeedsByClient
        return try await store.read { snapshot in
            let groups = try snapshot.checkpointGroups(since: query.since, generation: query.generation, limit: Self.countedCheckpoints)
            let visits = try snapshot.visitGroups(since: query.since, generation: query.generation, limit: Self.countedCheckpoints)
            let clients = ClientCheckpoints.clients(of: groups, visits)
            let described = clients.dropFirst(max(0, query.skip)).prefix(max(0, query.limit))
            let distances = try FeedDistances(described.flatMap(\.groups), limit: Self.countedChanges, in: snapshot)
            var names: [FeedScope: CollectionName] = [:]
            for collection in try snapshot.collections() {
                names[.collection(collection.key)] = collection.collectionName
            }
            return FleetReport(
                clients: described.map { FleetClient($0, names: names, distances: distances, open: open) },
                clientCount: clients.count,
                generations: ClientCheckpoints.totals(of: clients),
                days: try snapshot.checkpointDays(since: query.since / CheckpointDay.length).filter {
                    query.generation == nil || query.generation == $0.generation
                },
                isComplete: groups.reduce(0) { $0 + $1.count } < Self.countedCheckpoints)
        }
    }
}

extension FleetClient {
    fileprivate init(
        _ client: ClientCheckpoints, names: [FeedScope: CollectionName], distances: FeedDistances, open: [VisitingClient: Int]
    ) {
        user = client.user
        generation = client.generation
        software = ClientSoftware(client.agent)
        agent = client.agent
        devices = client.devices
        checkpoints = client.checkpoints
        firstSeen = client.firstSeen
        lastSeen = client.lastSeen
        addresses = client.visits?.addresses ?? 0
        lastAddress = client.visits?.lastAddress
        let kind = ClientKind(generation: client.generation, agent: client.agent)
        openFeeds = open[VisitingClient(user: client.user, client: kind)] ?? 0
        feeds = client.groups.map { group in
            FleetFeed(
                collection: names[group.scope], reads: group.position != nil, checkpoints: group.count, position: group.position,
                changesBehind: distances[group])
        }
    }
}

/// The number of documents that have changed after each of several positions.
///
/// Counts from the newest position backwards: only the changes between two positions are counted, up to a limit. Each feed's index is therefore
/// walked once, however many clients there are.
struct FeedDistances {
    private var counts: [FeedScope: [SequenceNumber: Int]] = [:]

    init(_ groups: some Sequence<CheckpointGroup>, limit: Int, in snapshot: any StoreSnapshot) throws {
        var positions: [FeedScope: Set<SequenceNumber>] = [:]
        for group in groups {
            if let position = group.position { positions[group.scope, default: []].insert(position) }
        }
        for (scope, positions) in positions {
            var count = 0
            var end: SequenceNumber?
            for position in positions.sorted(by: >) {
                if count < limit { count += try snapshot.changeCount(scope, after: position, upTo: end, limit: limit - count) }
                counts[scope, default: [:]][position] = count
                end = position
            }
        }
    }

    subscript(group: CheckpointGroup) -> Int? {
        group.position.flatMap { counts[group.scope]?[$0] }
    }
}
