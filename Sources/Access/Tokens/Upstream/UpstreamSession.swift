import Documents

/// What `GET /db/_session` says (legacy-1x 10.2): `{"userCtx":{"name":"u","channels":{"!":1,"a":7}}}`, of a CouchDB with `roles` in place of channels.
struct UpstreamSession {
    /// `nil` if nobody is logged in.
    let name: String?
    let channels: Set<String>
    let roles: Set<String>

    private static let maximumGrants = 10_000
    private static let maximumLength = 250

    /// - Throws: ``LoginError`` `unavailable` if the answer is something else.
    init(_ answer: JSONValue) throws(LoginError) {
        guard let context = answer["userCtx"], context.members != nil else {
            throw LoginError(.unavailable, "The legacy upstream's answer has no user context")
        }
        name = context["name"]?.string
        // Everybody has the public channel.
        channels = try Self.grants((context["channels"]?.members ?? []).map(\.key)).subtracting([ChannelAccess.everyone])
        roles = try Self.grants((context["roles"]?.array ?? []).compactMap(\.string))
    }

    private static func grants(_ names: [String]) throws(LoginError) -> Set<String> {
        guard names.count <= maximumGrants, names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= maximumLength }) else {
            throw LoginError(.unavailable, "The legacy upstream reports channels or roles that cannot be taken over")
        }
        return Set(names)
    }
}
