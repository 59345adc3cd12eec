import Access
package import Documents

/// The reply of `GET /db/_session` (docs/protocol/legacy-1x.md#sessions): `{"userCtx":{"name":"u","channels":{"!":1,"a":7}}}`, in CouchDB with
/// `roles` instead of channels.
struct UpstreamSession {
    /// The user's name; `nil` without a login.
    let name: String?

    /// The user's own channels, without those of roles, each with the sequence of its grant. `nil` for a CouchDB, which has no channels and shows
    /// every document to all readers of the database.
    let grants: [String: Int64]?
    let roles: Set<String>

    private static let maximumGrants = 10_000
    private static let maximumLength = 250

    /// Whether upstream is a CouchDB, whose readers see every document.
    var seesAll: Bool { grants == nil }

    /// The user's own channels, without the public one.
    var channels: Set<String> { Set((grants ?? [:]).keys).subtracting([ChannelAccess.everyone]) }

    /// - Throws: ``LoginError`` `unavailable` if the reply has another form.
    init(_ answer: JSONValue) throws(LoginError) {
        guard let context = answer["userCtx"], context.members != nil else {
            throw LoginError(.unavailable, "The legacy upstream's answer has no user context")
        }
        name = context["name"]?.string
        let channels = context["channels"]?.members ?? []
        try Self.check(channels.map(\.key))
        let isCouchDB = context["channels"] == nil && context["roles"] != nil
        // A start that is not a number counts as later than every position.
        grants = isCouchDB ? nil : Dictionary(channels.map { ($0.key, $0.value.int.map { Int64($0) } ?? .max) }) { max($0, $1) }
        let roles = (context["roles"]?.array ?? []).compactMap(\.string)
        try Self.check(roles)
        self.roles = Set(roles)
    }

    /// Fetches the session.
    ///
    /// - Parameter header: The login's header; `nil` for the guest.
    /// - Throws: ``LoginError`` `refused`, or `unavailable` if upstream does not reply properly.
    static func fetch(
        from database: VerificationEndpoint, _ header: VerificationRequest.Header?, by client: any VerificationSender
    ) async throws(LoginError) -> UpstreamSession {
        let headers = (header.map { [$0] } ?? []) + VerificationRequest.Header.trail
        var response = try await client.send(.get(database.appending("/_session"), headers: headers))
        // CouchDB has one session endpoint for the whole server.
        if response.status == 404 { response = try await client.send(.get(database.root("/_session"), headers: headers)) }
        guard !response.isFailure, response.status != 404 else {
            throw LoginError(.unavailable, "The legacy upstream cannot check logins, status \(response.status)")
        }
        guard response.status < 300 else { throw LoginError(.refused, "Invalid login") }
        return try UpstreamSession(try response.object(of: "The legacy upstream"))
    }

    private static func check(_ names: [String]) throws(LoginError) {
        guard names.count <= maximumGrants, names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= maximumLength }) else {
            throw LoginError(.unavailable, "The legacy upstream reports channels or roles that are not valid")
        }
    }
}

/// The properties of a user from Sync Gateway's admin port (`GET /db/_user/NAME`) that his own session does not contain.
package struct UpstreamMembership: Hashable, Sendable {
    private static let maximumCount = 10_000
    private static let maximumLength = 250

    /// Roles granted by administrators. Documents grant the same roles here as there.
    package let roles: Set<String>

    /// All channels of the user on upstream, including those of his roles.
    package let channels: Set<String>

    package init(roles: Set<String>, channels: Set<String>) {
        self.roles = roles
        self.channels = channels
    }

    /// - Returns: `nil` if the reply is for another user, or exceeds the limits.
    package init?(_ answer: JSONValue, of user: String) {
        guard let name = answer["name"]?.string, ExactString(name) == ExactString(user) else { return nil }
        let lists = ["admin_roles", "all_channels"].map { (answer[$0]?.array ?? []).compactMap(\.string) }
        guard lists.allSatisfy({ $0.count <= Self.maximumCount }),
            lists.joined().allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.maximumLength })
        else { return nil }
        self.init(roles: Set(lists[0]), channels: Set(lists[1]))
    }

    /// The channels that the user has only by roles, without the channel `*`: in Sync Gateway `*` of a role does not include documents without
    /// channels, and here it would.
    func channelsOfRoles(beside own: Set<String>) -> Set<String> {
        channels.subtracting(own).subtracting([ChannelAccess.everyone, ChannelAccess.everything])
    }
}
