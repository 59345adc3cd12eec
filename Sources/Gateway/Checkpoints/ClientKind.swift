/// What kind of client it is that writes a checkpoint.
public struct ClientKind: Hashable, Sendable {
    /// The longest name that is kept, in characters.
    private static let maximumLength = 256

    /// The generation of its protocol: 1, 2 or 3, and 4 for connections; 0 for replicators of ours.
    public let generation: Int

    /// What it says that it is: its `User-Agent`.
    public let agent: String

    public init(generation: Int, agent: String?) {
        self.generation = generation
        self.agent = String((agent ?? "").prefix(Self.maximumLength))
    }

    /// A replicator of ours.
    static let replicator = ClientKind(generation: 0, agent: "Dualgauge")
}
