public import Documents

/// What `GET /db/_session` says (docs/protocol/legacy-1x.md#sessions): `{"userCtx":{"name":"u","channels":{"!":1,"a":7}}}`, of a CouchDB with
/// `roles` in place of channels.
struct UpstreamSession {
    /// `nil` if nobody is logged in.
    let name: String?

    /// The channels that the user has himself, those of roles not included, each with the number of the change that granted it. `nil` where there are
    /// no channels: a CouchDB shows every document to all who may read the database.
    let grants: [String: Int64]?
    let roles: Set<String>

    private static let maximumGrants = 10_000
    private static let maximumLength = 250

    /// Whether it is a CouchDB's, whose readers see every document.
    var seesAll: Bool { grants == nil }

    /// The channels. Everybody has the public one.
    var channels: Set<String> { Set((grants ?? [:]).keys).subtracting([ChannelAccess.everyone]) }

    /// - Throws: ``LoginError`` `unavailable` if the answer is something else.
    init(_ answer: JSONValue) throws(LoginError) {
        guard let context = answer["userCtx"], context.members != nil else {
            throw LoginError(.unavailable, "The legacy upstream's answer has no user context")
        }
        name = context["name"]?.string
        let channels = context["channels"]?.members ?? []
        try Self.check(channels.map(\.key))
        let isCouchDB = context["channels"] == nil && context["roles"] != nil
        // A time that is no number is later than every place.
        grants = isCouchDB ? nil : Dictionary(channels.map { ($0.key, $0.value.int.map { Int64($0) } ?? .max) }) { max($0, $1) }
        let roles = (context["roles"]?.array ?? []).compactMap(\.string)
        try Self.check(roles)
        self.roles = Set(roles)
    }

    /// Asks for it.
    ///
    /// - Parameter header: of the login; `nil` for the guest.
    /// - Throws: ``LoginError`` `refused`, or `unavailable` if upstream cannot be asked.
    static func fetch(
        from database: VerificationEndpoint, _ header: VerificationRequest.Header?, by client: any VerificationSender
    ) async throws(LoginError) -> UpstreamSession {
        let headers = (header.map { [$0] } ?? []) + VerificationRequest.Header.trail
        var response = try await client.send(.get(database.appending("/_session"), headers: headers))
        // A CouchDB has one for the whole server.
        if response.status == 404 { response = try await client.send(.get(database.root("/_session"), headers: headers)) }
        guard !response.isFailure, response.status != 404 else {
            throw LoginError(.unavailable, "The legacy upstream cannot check logins, status \(response.status)")
        }
        guard response.status < 300 else { throw LoginError(.refused, "Invalid login") }
        return try UpstreamSession(try response.object(of: "The legacy upstream"))
    }

    private static func check(_ names: [String]) throws(LoginError) {
        guard names.count <= maximumGrants, names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= maximumLength }) else {
            throw LoginError(.unavailable, "The legacy upstream reports channels or roles that cannot be taken over")
        }
    }
}

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
