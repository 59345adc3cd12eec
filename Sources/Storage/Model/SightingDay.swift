/// How many checkpoints of one generation were written on one day.
public struct SightingDay: Hashable, Sendable {
    /// Days since 1970, UTC.
    public let day: Int64
    public let generation: Int

    /// Each checkpoint counts once a day.
    public let clients: Int

    public init(day: Int64, generation: Int, clients: Int) {
        self.day = day
        self.generation = generation
        self.clients = clients
    }

    /// Milliseconds of a day.
    public static let length: Int64 = 86_400_000
}
