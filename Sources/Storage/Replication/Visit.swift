/// When a client sent its requests: who, with what, from where.
public struct Visit: Hashable, Sendable {
    /// A user's name, empty for the guest.
    public let user: String

    /// The generation of the client's protocol.
    public let generation: Int

    /// What the client says that it is: its `User-Agent`.
    public let agent: String

    /// Where it is: an IPv4 address, or the first half of an IPv6 address. Empty where that is not known.
    public let address: String

    /// In milliseconds since 1970.
    public let firstSeen: Int64
    public let lastSeen: Int64

    public init(user: String, generation: Int, agent: String, address: String, firstSeen: Int64, lastSeen: Int64) {
        self.user = user
        self.generation = generation
        self.agent = agent
        self.address = address
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// The visits of one user with one kind of client, from wherever they came.
public struct VisitGroup: Hashable, Sendable {
    public let user: String
    public let generation: Int
    public let agent: String

    /// From how many addresses.
    public let addresses: Int

    /// The one that was seen last.
    public let lastAddress: String

    /// In milliseconds since 1970.
    public let firstSeen: Int64
    public let lastSeen: Int64

    public init(
        user: String, generation: Int, agent: String, addresses: Int, lastAddress: String, firstSeen: Int64, lastSeen: Int64
    ) {
        self.user = user
        self.generation = generation
        self.agent = agent
        self.addresses = addresses
        self.lastAddress = lastAddress
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}
