import Access
import Gateway
import Logging
import Storage

@testable import LegacyReplication
@testable import ModernReplication

extension Node {
    /// Replicates once with a server, as far as nothing goes wrong.
    ///
    /// - Parameter pushesFirst: whether what is here goes before what is there comes. The 2.x+ replicator pulls before it pushes, always: it resolves
    ///   here what both sides have changed.
    /// - Returns: what passed, and whether it came to its end.
    func replicate(
        with other: Node, _ upstream: Upstream, _ direction: Direction, _ fault: Fault?, pushesFirst: Bool = false
    ) async throws -> (Traffic, isWhole: Bool) {
        var total = Traffic()
        for collection in upstream == .legacy ? [""] : Subject.collections {
            let steps = pushesFirst && upstream == .legacy ? [Direction.push, .pull] : [.pull, .push]
            for step in steps where direction == .both || direction == step || upstream == .modern && step == .pull {
                let (traffic, isWhole) =
                    upstream == .legacy
                    ? try await replicate(withLegacy: other, step, fault)
                    : try await replicate(collection, withModern: other, step, fault)
                total += traffic
                guard isWhole else { return (total, false) }
            }
        }
        return (total, true)
    }

    private func replicate(withLegacy other: Node, _ direction: Direction, _ fault: Fault?) async throws -> (Traffic, Bool) {
        let transport = LegacyTransport(to: other.responder(for: .administrator), fault: fault)
        var settings = ReplicationSettings()
        settings.isUpstream = direction == .pull
        var limits = LegacyReplication.ReplicationLimits()
        limits.concurrency = 1
        limits.batch = 3
        let run = ReplicationRun(
            keyspace: database.unified, url: try RemoteURL("http://upstream/\(other.name)"), direction: direction == .pull ? .pull : .push,
            settings: settings, limits: limits, clock: SkippingClock(), logger: Logger.silent, transport: transport, report: { _ in })
        do {
            try await run.run()
        } catch {
            guard fault != nil else { throw error }
            return (transport.traffic, false)
        }
        return (transport.traffic, true)
    }

    private func replicate(
        _ collection: String, withModern other: Node, _ direction: Direction, _ fault: Fault?
    ) async throws -> (Traffic, Bool) {
        let (client, near) = await Pipe.pair()
        let (far, server) = await Pipe.pair()
        let isDefault = collection == Subject.collections[0]
        let relay = Relay(client: near, server: far, pulls: isDefault ? 2 : 1, fault: fault)
        let relaying = Task { await relay.run() }
        let serving = other.serve(server, as: .administrator, .v3)
        let watching = await watch(client)
        var configuration = ReplicatorConfiguration(target: MessageEndpoint(uid: other.name) { client })
        configuration.replicatorType = direction == .pull ? .pull : .pushAndPull
        configuration.maxAttempts = 1
        configuration.addCollection(keyspace(collection))
        // A collection by itself that is the default one would be replicated without a name: as the unified keyspace.
        if isDefault { configuration.addCollection(keyspace("shop.empty")) }
        let replicator = try Replicator(
            configuration: configuration, limits: ModernReplication.ReplicationLimits(), clock: SkippingClock(), logger: Logger.silent)
        await replicator.start()
        let status = await replicator.waitUntilStopped()
        await client.drop()
        await relaying.value
        await serving.value
        await watching()
        if let error = status.error, fault == nil { throw error }
        return (await relay.traffic, status.error == nil)
    }
}
