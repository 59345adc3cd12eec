import AsyncHTTPClient
import Coordination
import Foundation

/// A long-running load test: a bridge or a cluster with clients of all kinds and troubles for a given time, followed by a check of every document and client.
package struct Soak: Sendable {
    private let world: World
    private let fleet: Fleet
    private let schedule: TroubleSchedule
    private let sampler: Sampler

    private var settings: SoakSettings { world.settings }
    private var server: any SoakServer { world.server }

    package init(_ settings: SoakSettings) throws {
        ProcessSample.raiseFileLimit()
        world = try World(settings)
        fleet = try Fleet(world)
        schedule = TroubleSchedule(
            settings.troubles, over: settings.duration, longest: settings.longestTrouble, seed: settings.seed)
        sampler = Sampler(world)
    }

    /// - Throws: An error if the soak cannot be carried out. Faults of the bridge are part of the report.
    package func run() async throws -> SoakReport {
        do {
            try await server.start()
            return try await load()
        } catch {
            try? await world.disconnect()
            try? await server.shutDown()
            throw error
        }
    }

    private func load() async throws -> SoakReport {
        try await server.prepare(fleet.users)
        let idle = ProcessSample(server.process).descriptors
        var report = SoakReport(settings.bounds)
        let sampling = Task { await sampler.run() }
        let clients = start(fleet.clients)
        let probers = [Prober(world, .read), Prober(world, .write)]
        for prober in probers { prober.start() }
        defer {
            sampling.cancel()
            for client in clients { client.cancel() }
            for prober in probers { prober.stop() }
        }
        try await makeTroubles()
        world.stopWriting()
        for prober in probers { await prober.stopped() }
        settings.reportProgress("the last write is done; \(world.ledger.acknowledged) edits were acknowledged")
        report.unread = try await unread()
        for client in clients { client.cancel() }
        for client in clients { await client.value }
        try await world.disconnect()
        report.leftDescriptors = try await descriptorsLeft(besides: idle)
        report.record(sampler.samples)
        report.record(world)
        try await finish(&report)
        return report
    }

    /// Starts the clients one after the other, within a tenth of the duration.
    private func start(_ clients: [any SoakClient]) -> [Task<Void, Never>] {
        let step = min(settings.duration / 10, .seconds(60)) / max(clients.count, 1)
        return clients.enumerated().map { index, client in
            Task { [world] in await client.run(in: world, after: step * index) }
        }
    }

    /// Makes the scheduled troubles until the duration has passed.
    private func makeTroubles() async throws {
        let begin = ContinuousClock.now
        for spell in schedule.spells {
            try await suspend(for: ContinuousClock.now.duration(to: begin + spell.start))
            settings.reportProgress(
                "\(spell.trouble.rawValue) for \(spell.length); \(sampler.samples.last.map { "\($0.memory) MiB" } ?? "")")
            world.stopwatch.enter(spell.trouble)
            try await server.begin(spell.trouble)
            try await suspend(for: spell.length / 2)
            try await server.turn(spell.trouble)
            try await suspend(for: spell.length / 2)
            try await server.end(spell.trouble)
            try await suspend(for: spell.recovery)
            world.stopwatch.enter(nil)
        }
        try await suspend(for: ContinuousClock.now.duration(to: begin + settings.duration))
    }

    /// Waits until each client has received its documents.
    ///
    /// - Returns: The documents that clients still lack at the timeout.
    private func unread() async throws -> [String] {
        let deadline = ContinuousClock.now + settings.bounds.settling
        while true {
            let truth = try await Truth(of: server)
            let gaps = fleet.clients.flatMap { client in
                (client.followed.map(truth.gaps) ?? []).map { "\(client.name) of \(client.followed?.account.user ?? "guest"): \($0)" }
            }
            if gaps.isEmpty || ContinuousClock.now > deadline { return gaps }
            settings.reportProgress("\(gaps.count) documents have not reached their clients yet: \(gaps.prefix(1).joined())")
            // The bridges are other processes and report no event, so they are polled.
            try await suspend(for: .milliseconds(500))
        }
    }

    /// Waits until the descriptors of disconnected clients are closed.
    ///
    /// - Returns: The number of open descriptors beyond the initial ones.
    private func descriptorsLeft(besides idle: Int) async throws -> Int {
        let deadline = ContinuousClock.now + settings.bounds.settling
        while true {
            let more = ProcessSample(server.process).descriptors - idle
            if more <= settings.bounds.descriptors || ContinuousClock.now > deadline { return more }
            // The bridges are other processes and report no event, so they are polled.
            try await suspend(for: .milliseconds(500))
        }
    }

    /// Stops the bridges, checks the store, and reads it back with new processes.
    private func finish(_ report: inout SoakReport) async throws {
        let start = ContinuousClock.now
        report.exitCode = try await server.stop()
        report.ending = start.duration(to: .now)
        report.checkCode = try await server.check()
        try await server.start()
        let truth = try await Truth(of: server)
        report.lost = truth.losses(of: world.ledger)
        report.repeated = truth.repeated.sorted()
        try await server.shutDown()
        report.unexpectedExits = server.unexpectedExits
    }
}

/// The reason why a soak cannot continue, or an error of a client.
package struct SoakError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
