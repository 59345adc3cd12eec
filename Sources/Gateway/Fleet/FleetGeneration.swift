/// All clients of one generation.
public struct FleetGeneration: Hashable, Sendable {
    public let generation: Int
    public internal(set) var clients = 0

    /// As far as can be told, as in ``FleetClient/devices``.
    public internal(set) var devices = 0
    public internal(set) var checkpoints = 0

    /// When one was seen last, in milliseconds since 1970.
    public internal(set) var lastSeen: Int64 = 0
}
