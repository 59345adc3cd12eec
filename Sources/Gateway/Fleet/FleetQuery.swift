/// Which clients are asked for, and how many of them.
public struct FleetQuery: Sendable {
    /// Seen since then, in milliseconds since 1970.
    public var since: Int64

    /// Only this generation; `nil` for all.
    public var generation: Int?

    /// How many clients are passed over, those seen last first.
    public var skip = 0

    /// How many are described one by one. All are counted.
    public var limit = 100

    public init(since: Int64, generation: Int? = nil) {
        self.since = since
        self.generation = generation
    }
}
