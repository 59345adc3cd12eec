import Cutover

/// What the gates of a cutover ask.
extension Replications {
    /// How far a replication is behind.
    func lag(of id: String) async -> LagMeasurement {
        guard let run = try? run(id) else { return .unknown("there is none") }
        return await run.lag
    }

    /// How many documents the replications of these names have met that one side has refused.
    func refused(_ ids: [String]) async -> Int {
        var count = 0
        for id in ids {
            guard let tally = try? await run(id).tally else { continue }
            count += tally.rejectedHere + tally.rejectedThere + tally.failures
        }
        return count
    }
}
