/// Up to what the gates let a step pass: `gates` of the configuration.
public struct GateLimits: Hashable, Sendable {
    /// How long ago the replication may have caught up, in seconds.
    public var maxLag: Int64 = 60

    /// How many revisions may be parked.
    public var maxParked = 0

    /// Whether both sides are compared.
    public var requiresParity = true

    /// Of how many documents more each comparison reads the bodies and attachments; `nil` for all of them, each time.
    public var bodies: Int? = 1_000

    /// For how long, in seconds, no client of 1.x may have been seen.
    public var oldClientsQuietFor: Int64 = 30 * 86_400

    /// How old a comparison may be, in seconds, that a step is taken by; an older one is made anew.
    public static let parityLifetime: Int64 = 600

    public init() {}
}
