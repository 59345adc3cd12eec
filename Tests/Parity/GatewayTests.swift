import Foundation
import Testing

/// Random histories beside a running Sync Gateway, which the environment names (docs/parity.md).
@Suite("Random histories beside a Sync Gateway", .enabled(if: Gateway() != nil), .timeLimit(.minutes(600)))
struct GatewayTests {
    private let settings = ParitySettings()

    @Test("A bridge's observations equal a Sync Gateway's")
    func same() async throws {
        let gateway = try #require(Gateway())
        let report = ParityReport(settings)
        let seeds = settings.seeds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, seed) in seeds.enumerated() {
                if index >= settings.width { try await group.next() }
                group.addTask {
                    // On a busy machine a request may have waited too long.
                    do { try await Self.compare(seed, gateway, report) } catch {
                        do { try await Self.compare(seed, gateway, report) } catch { await report.breaksOff(seed, error) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let failures = await report.failures
        print("\(seeds.count) histories, \(failures.count) differ: \(failures.sorted().map(String.init).joined(separator: " "))")
        #expect(failures.isEmpty)
    }

    @Test("One history is printed step by step", .enabled(if: ParitySettings().file != nil))
    func shown() async throws {
        let gateway = try #require(Gateway())
        let text = try String(contentsOfFile: try #require(settings.file), encoding: .utf8)
        let history = try History(parsing: text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix(">") })
        let (theirs, ours) = (try await gateway.play(history), try await LocalBridge.play(history))
        for (index, step) in history.steps.enumerated() {
            print("\(step.number) \(step.step)\n  Sync Gateway: \(theirs[index])\n  the bridge:   \(ours[index])")
        }
        #expect(Difference.first(in: history, gateway: theirs, bridge: ours) == nil)
    }

    private static func compare(_ seed: UInt64, _ gateway: Gateway, _ report: ParityReport) async throws {
        var generator = HistoryGenerator(seed: seed, dialect: gateway.dialect)
        let history = generator.history()
        let theirs = try await gateway.play(history)
        guard try await difference(history, gateway, theirs: theirs) != nil else {
            return try await report.record(Recording(history: history, observations: theirs))
        }
        // A Sync Gateway may have been slow: a difference that does not occur again does not count.
        guard let whole = try await difference(history, gateway) else { return }
        guard await report.fails(seed) else { return }
        var shrinker = Shrinker()
        let shrunk = try await shrinker.shrink(history) { smaller in
            guard try await difference(smaller, gateway) != nil else { return false }
            return try await difference(smaller, gateway) != nil
        }
        guard let difference = try await difference(shrunk, gateway) else {
            return await report.write("Seed \(seed) differs now and then:\n\(whole)\nThe last time, these steps did not:\n\(shrunk)")
        }
        await report.write("Seed \(seed) differs; these steps are enough:\n\(shrunk)\n\(difference)")
    }

    private static func difference(
        _ history: History, _ gateway: Gateway, theirs known: [Observation]? = nil
    ) async throws -> Difference? {
        let theirs: [Observation] = if let known { known } else { try await gateway.play(history) }
        return Difference.first(in: history, gateway: theirs, bridge: try await LocalBridge.play(history))
    }
}
