/// One thing that was looked at before a step, and what came of it.
public struct Gate: Hashable, Sendable {
    public let kind: GateKind
    public let isPassed: Bool

    /// What was measured, in the kind's unit; `nil` if it could not be.
    public let measured: Int64?

    /// The most that passes.
    public let limit: Int64

    /// What was found, and what to do if it is too much: a sentence.
    public let message: String

    /// How old the measurement is, in seconds, where it is not of now.
    public let age: Int64?

    /// Looks at one thing.
    public init(_ kind: GateKind, _ measurements: CutoverMeasurements, limits: GateLimits) {
        self.kind = kind
        var age: Int64?
        switch kind {
        case .parity:
            limit = 0
            age = measurements.parity?.age(at: measurements.time)
            (measured, isPassed, message) = Self.parity(measurements, limits)
        case .scope:
            limit = 0
            (measured, isPassed, message) = Self.scope(measurements.scope)
        case .lag:
            limit = limits.maxLag
            (measured, isPassed, message) = Self.lag(measurements.lag, limits)
        case .parked:
            limit = Int64(limits.maxParked)
            measured = Int64(measurements.parked)
            isPassed = measurements.parked <= limits.maxParked
            message = Self.parked(measurements.parked, isPassed, in: measurements.database)
        case .history:
            limit = 0
            measured = Int64(measurements.cutHistories)
            isPassed = measurements.cutHistories == 0
            message = Self.history(measurements.cutHistories)
        case .oldClients:
            limit = 0
            measured = Int64(measurements.oldClients)
            isPassed = measurements.oldClients == 0
            message = Self.oldClients(measurements, limits)
        }
        self.age = age
    }
}
