import Access
import Documents
import Gateway
import Logging
import Storage

@testable import LegacyClient
@testable import ModernClient
@testable import ModernProtocol
@testable import ModernServer

extension Node {
    /// Replicates once with a server, up to the fault if there is one.
    ///
    /// - Parameter pushesFirst: Whether the push precedes the pull. The 2.x+ replicator always pulls before it pushes: it resolves conflicts here.
    ///   - refusal: The revisions that the server refuses.
    /// - Returns: The traffic, whether the replication finished, and the refused revisions.
    func replicate(
        with other: Node, _ upstream: Upstream, _ direction: Direction, _ fault: Fault?, pushesFirst: Bool = false, refusal: Refusal? = nil
    ) async throws -> (Traffic, isWhole: Bool, refused: [RefusedRevision]) {
        try await worker()
        var total = Traffic()
        var refused: [RefusedRevision] = []
        for collection in upstream == .legacy ? [""] : Subject.collections {
            let steps = pushesFirst && upstream == .legacy ? [Direction.push, .pull] : [.pull, .push]
            for step in steps where direction == .both || direction == step || upstream == .modern && step == .pull {
                let refuser = refusal.map { Refuser($0, of: other.keyspace(collection), keyspace: collection) }
                let (traffic, isWhole, found) =
                    upstream == .legacy
                    ? try await replicate(withLegacy: other, step, fault, refuser)
                    : try await replicate(collection, withModern: other, step, fault, refuser)
                total += traffic
                refused += found
                guard isWhole else { return (total, false, refused) }
            }
        }
        return (total, true, refused)
    }

    /// Retries the revisions that a server has refused.
    func tryAgain(_ parked: [ParkedRevision], with other: Node, _ upstream: Upstream) async throws {
        try await worker()
        switch upstream {
        case .legacy:
            for direction in [Direction.push, .pull] {
                let revisions = parked.filter { $0.direction == (direction == .push ? .push : .pull) }.compactMap { entry in
                    RevisionID(entry.revision).map { LegacyClient.RefusedRevision(id: entry.id, revision: $0) }
                }
                guard !revisions.isEmpty else { continue }
                let transport = LegacyTransport(to: other.responder(for: .administrator), fault: nil)
                try await run(withLegacy: other, direction, transport).tryAgain(revisions)
            }
        case .modern:
            for collection in Subject.collections {
                let revisions = parked.filter { $0.collection == collection }
                guard !revisions.isEmpty else { continue }
                _ = try await converse(collection, withModern: other, .both, pulls: 1) { try await $0.tryAgain(revisions) }
            }
        }
    }

    /// Replicates once in one direction with the legacy upstream, during an event of the upstream.
    ///
    /// - Returns: The traffic, whether the replication finished, and whether the event occurred.
    func replicate(
        withLegacy other: Node, _ direction: Direction, _ troubled: LegacyTransport.Troubled
    ) async throws -> (Traffic, isWhole: Bool, hasCome: Bool) {
        try await worker()
        let transport = LegacyTransport(to: other.responder(for: .administrator), fault: nil, troubled: troubled)
        var hasLogin = false
        if case .sessionEnds = troubled.trouble { hasLogin = true }
        do {
            try await run(withLegacy: other, direction, transport, hasLogin: hasLogin).run()
        } catch is ReplicationError {
            return (transport.traffic, false, transport.isTroubled)
        }
        return (transport.traffic, true, transport.isTroubled)
    }

    func run(
        withLegacy other: Node, _ direction: Direction, _ transport: LegacyTransport, hasLogin: Bool = false
    ) throws -> LegacyReplicationRun {
        var settings = ReplicationSettings()
        settings.isUpstream = true
        if hasLogin { settings.authenticator = .basicAuthenticator(name: "bridge", password: "secret") }
        var limits = LegacyClient.ReplicationLimits()
        limits.concurrency = 1
        limits.batch = 3
        settings.parking = Parking(Upstream.legacy.rawValue, in: work)
        return LegacyReplicationRun(
            keyspace: work.unified, url: try RemoteURL("http://upstream/\(other.name)"), direction: direction == .pull ? .pull : .push,
            settings: settings, limits: limits, clock: SkippingClock(), logger: Logger.silent, transport: transport, report: { _ in })
    }

    private func replicate(
        withLegacy other: Node, _ direction: Direction, _ fault: Fault?, _ refuser: Refuser?
    ) async throws -> (Traffic, Bool, [RefusedRevision]) {
        let transport = LegacyTransport(to: other.responder(for: .administrator), fault: fault, refuser: refuser)
        do {
            try await run(withLegacy: other, direction, transport).run()
        } catch {
            guard fault != nil else { throw error }
            return (transport.traffic, false, transport.refused)
        }
        return (transport.traffic, true, transport.refused)
    }

    private func replicate(
        _ collection: String, withModern other: Node, _ direction: Direction, _ fault: Fault?, _ refuser: Refuser?
    ) async throws -> (Traffic, Bool, [RefusedRevision]) {
        var status: ReplicatorStatus?
        let pulls = collection == Subject.collections[0] ? 2 : 1
        let relay = try await converse(collection, withModern: other, direction, pulls: pulls, fault, refuser) { replicator in
            await replicator.start()
            status = await replicator.waitUntilStopped()
        }
        if let error = status?.error, fault == nil { throw error }
        return (await relay.traffic, status?.error == nil, await relay.refused)
    }

    /// Connects a collection's replicator to a server.
    ///
    /// - Parameter pulls: The number of collections that it will pull.
    func converse(
        _ collection: String, withModern other: Node, _ direction: Direction, pulls: Int, _ fault: Fault? = nil, _ refuser: Refuser? = nil,
        _ work: (Replicator) async throws -> Void
    ) async throws -> Relay {
        let (client, near) = await Pipe.pair()
        let (far, server) = await Pipe.pair()
        let relay = Relay(client: near, server: far, pulls: pulls, fault: fault, refuser: refuser)
        let relaying = Task { await relay.run() }
        let serving = other.serve(server, as: .administrator, .v3)
        let watching = site(working).watch(client)
        var configuration = ReplicatorConfiguration(target: MessageEndpoint(uid: other.name) { client })
        configuration.replicatorType = direction == .pull ? .pull : .pushAndPull
        configuration.maxAttempts = 1
        configuration.parking = Parking(Upstream.modern.rawValue, in: self.work)
        configuration.addCollection(keyspace(collection, of: self.work))
        // A single default collection would be replicated without a name: as the unified keyspace.
        if collection == Subject.collections[0] { configuration.addCollection(keyspace("shop.empty", of: self.work)) }
        let replicator = try Replicator(
            configuration: configuration, limits: .init(), clock: SkippingClock(), logger: Logger.silent)
        do {
            try await work(replicator)
        } catch {
            await client.drop()
            throw error
        }
        await client.drop()
        await relaying.value
        await serving.value
        watching()
        return relay
    }
}
