/// The time span of a client's requests, by user, client and address.
package struct Visit: Hashable, Sendable {
    /// The user's name; empty for the guest.
    package let user: String

    /// The generation of the client's protocol.
    package let generation: Int

    /// The client's `User-Agent`.
    package let agent: String

    /// An IPv4 address, or the first half of an IPv6 address; empty if unknown.
    package let address: String

    /// In milliseconds since 1970.
    package let firstSeen: Int64
    package let lastSeen: Int64

    package init(user: String, generation: Int, agent: String, address: String, firstSeen: Int64, lastSeen: Int64) {
        self.user = user
        self.generation = generation
        self.agent = agent
        self.address = address
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// The visits of one user with one kind of client, from all addresses.
package struct VisitGroup: Hashable, Sendable {
    package let user: String
    package let generation: Int
    package let agent: String

    /// The number of addresses.
    package let addresses: Int

    /// The most recent address.
    package let lastAddress: String

    /// In milliseconds since 1970.
    package let firstSeen: Int64
    package let lastSeen: Int64

    package init(
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
