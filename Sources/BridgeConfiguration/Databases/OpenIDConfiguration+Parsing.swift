import Access
import Authentication
import Yams

extension OpenIDConfiguration {
    private static let keys = [
        "name", "issuer", "clientID", "clientSecret", "discoveryURL", "callbackURL", "scopes", "userPrefix", "usernameClaim",
        "channelsClaim",
        "rolesClaim", "register", "includeAccessToken", "callbackState", "clockSkew",
    ]

    /// Reads one provider, or a list of named providers.
    static func all(_ node: ConfigurationNode) throws -> [OpenIDConfiguration] {
        guard node.node.sequence != nil else { return [try OpenIDConfiguration(node)] }
        let items = try node.items()
        var names: Set<String> = []
        return items.compactMap { item in
            item.read { item in
                let provider = try OpenIDConfiguration(item)
                guard items.count == 1 || !provider.name.isEmpty else {
                    throw item.error(.missingKey, "one of several providers needs a `name`")
                }
                guard names.insert(provider.name).inserted else {
                    throw item.error(.badValue, "two providers are named `\(provider.name)`")
                }
                return provider
            }
        }
    }

    private init(_ node: ConfigurationNode) throws {
        let members = try node.members(Self.keys)
        let clientIDs = members["clientID"]?.read { try $0.oneOrMoreTexts() }
        let discovery = members["issuer"]?.read { issuer in
            do {
                return try Self.discovery(of: try issuer.text())
            } catch let error as LoginError {
                throw issuer.error(.badValue, error.message)
            }
        }
        let ownDiscovery = members["discoveryURL"]?.read { try $0.endpoint() }
        if members["issuer"] == nil || members["clientID"] == nil {
            node.refuse(.missingKey, "`oidc` needs `issuer` and `clientID`, the client that tokens are issued for")
        }
        // Missing keys are reported already. The rest is parsed with placeholders, so that its errors are reported, too.
        self.init(
            name: members["name"]?.read { try $0.text() } ?? "", issuer: members["issuer"]?.read { try $0.text() } ?? "",
            discovery: try ownDiscovery ?? discovery ?? Self.discovery(of: "https://example.com"), clientIDs: clientIDs ?? [])
        clientSecret = members["clientSecret"]?.read { Secret(try $0.nonEmptyText()) }
        callbackURL = members["callbackURL"]?.read { try $0.nonEmptyText() }
        members["scopes"]?.read { node in
            scopes = try node.texts()
            guard scopes.contains("openid") else { throw node.error(.badValue, "`scopes` needs `openid`; without it there is no ID token") }
        }
        naming = Self.naming(members)
        channelsClaim = members["channelsClaim"]?.read { try $0.nonEmptyText() }
        rolesClaim = members["rolesClaim"]?.read { try $0.nonEmptyText() }
        registers = members["register"]?.read { try $0.bool() } ?? false
        includesAccessToken = members["includeAccessToken"]?.read { try $0.bool() } ?? false
        checksState = members["callbackState"]?.read { try $0.bool() } ?? true
        members["clockSkew"]?.read { clockSkew = try $0.seconds(upTo: 600) }
    }

    private static func naming(_ members: [String: ConfigurationNode]) -> Naming {
        let prefix = members["userPrefix"]?.read { node in
            let prefix = try node.nonEmptyText()
            guard LoginName(prefix) != nil else {
                throw node.error(.badValue, "`\(prefix)` cannot begin a user's name; use letters, digits and `_-+.@%`")
            }
            return prefix
        }
        return members["usernameClaim"]?.read { .claim(try $0.nonEmptyText(), prefix: prefix) } ?? .subject(prefix: prefix)
    }
}
