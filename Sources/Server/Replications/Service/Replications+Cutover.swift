import Cutover

/// What the gates of a cutover ask.
extension Replications {
    /// How far a replication is behind.
    func lag(of id: String) async -> LagMeasurement {
        guard let run = try? run(id) else { return .unknown("there is none") }
        return await run.lag
    }
}
