/// One thing that was looked at before a step, and what came of it.
package struct Gate: Hashable, Sendable {
    package let kind: GateKind
    package let isPassed: Bool

    /// What was measured, in the kind's unit; `nil` if it could not be.
    package let measured: Int64?

    /// The most that passes.
    package let limit: Int64

    /// What was found, and what to do if it is too much: a sentence.
    package let message: String

    /// How old the measurement is, in seconds, where it is not of now.
    package let age: Int64?

    /// Looks at one thing.
    package init(_ kind: GateKind, _ measurements: CutoverMeasurements, limits: GateLimits) {
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
            measured = Int64(measurements.truncatedHistories)
            isPassed = measurements.truncatedHistories == 0
            message = Self.history(measurements.truncatedHistories)
        case .oldClients:
            limit = 0
            measured = Int64(measurements.oldClients)
            isPassed = measurements.oldClients == 0
            message = Self.oldClients(measurements, limits)
        }
        self.age = age
    }
}

/// What is looked at before a step.
package enum GateKind: String, Hashable, Sendable, CaseIterable {
    /// Whether both servers have the same documents, by comparing all of them.
    case parity

    /// Whether the login at the legacy upstream sees all of its documents.
    case scope

    /// How long ago the replication with the legacy upstream had last caught up.
    case lag

    /// Revisions that one side has refused.
    case parked

    /// Documents that could become conflicts on the old server, because it has missed too much of their history.
    case history

    /// Clients of 1.x that were seen lately, by their requests, open feeds and checkpoints.
    case oldClients

    /// What is counted.
    package var unit: String {
        switch self {
        case .parity, .history: "documents"
        case .scope: "logins"
        case .lag: "seconds"
        case .parked: "revisions"
        case .oldClients: "clients"
        }
    }
}

/// Up to what the gates let a step pass: `gates` of the configuration.
package struct GateLimits: Hashable, Sendable {
    /// How long ago the replication may have caught up, in seconds.
    package var maxLag: Int64 = 60

    /// How many revisions may be parked.
    package var maxParked = 0

    /// Whether both sides are compared.
    package var requiresParity = true

    /// Of how many documents more each comparison reads the bodies and attachments; `nil` for all of them, each time.
    package var bodies: Int? = 1_000

    /// For how long, in seconds, no client of 1.x may have been seen.
    package var oldClientsQuietFor: Int64 = 30 * 86_400

    /// How old a comparison may be, in seconds, that a step is taken by; an older one is made anew.
    package static let parityLifetime: Int64 = 600

    package init() {}
}
