public import Documents

/// What a Sync Gateway's admin port says of a user beyond what his own session tells: `GET /db/_user/NAME`.
public struct UpstreamMembership: Hashable, Sendable {
    /// Asks the legacy upstream for a user's; gives `nil` where it does not say, as on its public port.
    public typealias Source = @Sendable (_ user: String) async throws(LoginError) -> UpstreamMembership?

    private static let maximumCount = 10_000
    private static let maximumLength = 250

    /// By administrators. What documents give, they give here as well.
    public let roles: Set<String>

    /// All that he has there, those of his roles included.
    public let channels: Set<String>

    public init(roles: Set<String>, channels: Set<String>) {
        self.roles = roles
        self.channels = channels
    }

    /// - Returns: `nil` if it is not what is told of this user, or more than can be taken over.
    public init?(_ answer: JSONValue, of user: String) {
        guard let name = answer["name"]?.string, ExactString(name) == ExactString(user) else { return nil }
        let lists = ["admin_roles", "all_channels"].map { (answer[$0]?.array ?? []).compactMap(\.string) }
        guard lists.allSatisfy({ $0.count <= Self.maximumCount }),
            lists.joined().allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.maximumLength })
        else { return nil }
        self.init(roles: Set(lists[0]), channels: Set(lists[1]))
    }

    /// The channels that he has by roles alone. The channel `*` of a role is not among them: with it Sync Gateway keeps back what is in no channel, and here
    /// nothing would be kept back.
    func channelsOfRoles(beside own: Set<String>) -> Set<String> {
        channels.subtracting(own).subtracting([ChannelAccess.everyone, ChannelAccess.everything])
    }
}
