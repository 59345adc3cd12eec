import Access
import Yams

extension OpenIDConfiguration {
    private static let keys = [
        "name", "issuer", "clientID", "clientSecret", "discoveryURL", "callbackURL", "scopes", "userPrefix", "usernameClaim",
        "channelsClaim",
        "rolesClaim", "register", "includeAccessToken", "callbackState", "clockSkew",
    ]

    /// One provider, or a list of them with names.
    static func all(_ node: ConfigurationNode) throws -> [OpenIDConfiguration] {
        guard node.node.sequence != nil else { return [try OpenIDConfiguration(node)] }
        let items = try node.items()
        var names: Set<String> = []
        return try items.map { item in
            let provider = try OpenIDConfiguration(item)
            guard items.count == 1 || !provider.name.isEmpty else {
                throw item.error(.missingKey, "one of several providers needs a `name`")
            }
            guard names.insert(provider.name).inserted else { throw item.error(.badValue, "two providers are named `\(provider.name)`") }
            return provider
        }
    }

    private init(_ node: ConfigurationNode) throws {
        let members = try node.members(Self.keys)
        guard let issuer = members["issuer"], let clientIDs = try members["clientID"]?.oneOrMoreTexts() else {
            throw node.error(.missingKey, "`oidc` needs `issuer` and `clientID`, the client that tokens are issued for")
        }
        let discovery: VerificationEndpoint
        do {
            discovery = try Self.discovery(of: try issuer.text())
        } catch let error as LoginError {
            throw issuer.error(.badValue, error.message)
        }
        self.init(
            name: try members["name"]?.text() ?? "", issuer: try issuer.text(),
            discovery: try members["discoveryURL"]?.endpoint() ?? discovery,
            clientIDs: clientIDs)
        clientSecret = try members["clientSecret"].map { Secret(try $0.nonEmptyText()) }
        callbackURL = try members["callbackURL"]?.nonEmptyText()
        if let node = members["scopes"] {
            scopes = try node.texts()
            guard scopes.contains("openid") else { throw node.error(.badValue, "`scopes` needs `openid`; without it there is no ID token") }
        }
        naming = try Self.naming(members)
        channelsClaim = try members["channelsClaim"]?.nonEmptyText()
        rolesClaim = try members["rolesClaim"]?.nonEmptyText()
        registers = try members["register"]?.bool() ?? false
        includesAccessToken = try members["includeAccessToken"]?.bool() ?? false
        checksState = try members["callbackState"]?.bool() ?? true
        if let node = members["clockSkew"] { clockSkew = try node.seconds(upTo: 600) }
    }

    private static func naming(_ members: [String: ConfigurationNode]) throws -> Naming {
        let prefix = try members["userPrefix"]?.nonEmptyText()
        if let node = members["userPrefix"], let prefix, LoginName(prefix) == nil {
            throw node.error(.badValue, "`\(prefix)` cannot begin a user's name; use letters, digits and `_-+.@%`")
        }
        return try members["usernameClaim"].map { .claim(try $0.nonEmptyText(), prefix: prefix) } ?? .subject(prefix: prefix)
    }
}
