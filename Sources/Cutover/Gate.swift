/// Result of one check before a step.
package struct Gate: Hashable, Sendable {
    package let kind: GateKind
    package let isPassed: Bool

    /// The measured value in the kind's unit; `nil` if it could not be measured.
    package let measured: Int64?

    /// The largest value that passes.
    package let limit: Int64

    /// The finding and, if the gate failed, its remedy, as a sentence.
    package let message: String

    /// Age of the measurement in seconds; `nil` for kinds that are measured at evaluation.
    package let age: Int64?

    /// Evaluates one kind of gate.
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

/// What a gate checks.
package enum GateKind: String, Hashable, Sendable, CaseIterable {
    /// Whether both servers have the same documents; compares all of them.
    case parity

    /// Whether the login at the legacy upstream can read all of its documents.
    case scope

    /// Time since the replication with the legacy upstream last caught up.
    case lag

    /// Number of parked revisions, which one side has refused.
    case parked

    /// Documents that could become conflicts on the old server, because revisions between its copy and the current one have been pruned here.
    case history

    /// Recently active 1.x clients, recognised by their requests, open feeds and checkpoints.
    case oldClients

    /// Unit of the measured value.
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

/// Limits of the gates: the `gates` section of the configuration.
package struct GateLimits: Hashable, Sendable {
    /// Longest allowed time since the replication last caught up, in seconds.
    package var maxLag: Int64 = 60

    /// Largest allowed number of parked revisions.
    package var maxParked = 0

    /// Whether the parity gate compares both servers; if not, it passes.
    package var requiresParity = true

    /// Number of further documents whose bodies and attachments each comparison reads; `nil` to read all of them each time.
    package var bodies: Int? = 1_000

    /// Time without any 1.x client activity that the gate requires, in seconds.
    package var oldClientsQuietFor: Int64 = 30 * 86_400

    /// Longest age of a comparison that a step may use, in seconds; an older one is repeated.
    package static let parityLifetime: Int64 = 600

    package init() {}
}
